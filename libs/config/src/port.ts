import { ValidateBy } from 'class-validator';

const HIGHEST = 65_535;

/** A TCP port as a whole number; 0 lets the system choose a free one. */
export function IsPort(): PropertyDecorator {
  return ValidateBy(
    { name: 'isPort', validator: { validate: isPort } },
    { message: `give a whole number from 0 to ${HIGHEST}` },
  );
}

export function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= HIGHEST;
}

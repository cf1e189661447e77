import { ValidateIf } from 'class-validator';

/** A member that may be left out. Unlike class-validator's IsOptional it may not be null: nobody asked for null here. */
export function IsOmissible(): PropertyDecorator {
  return ValidateIf((_body, value) => value !== undefined);
}

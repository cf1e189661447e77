import { IsNotIn, ValidateIf } from 'class-validator';

/** A member that may be left out. Unlike class-validator's IsOptional it may not be null: nobody asked for null here. */
export function IsOmissible(): PropertyDecorator {
  return ValidateIf((_body, value) => value !== undefined);
}

/** An identifier that a client chooses and that has to fit into a path: URLs lose `.` and `..` (RFC 3986 §5.2.4). */
export function IsAddressable(): PropertyDecorator {
  return IsNotIn(['.', '..'], { message: 'must not be . or .., which no URL can address' });
}

/**
 * Whether a number is a whole multiple of another one, both taken as the decimals they are written as: 19.99 is one of
 * 0.01, though the nearest doubles of both say otherwise.
 * @param divisor greater than zero
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [dividend, unit] = [decimalOf(value), decimalOf(divisor)];
  const exponent = Math.min(dividend.exponent, unit.exponent);
  return scaled(dividend, exponent) % scaled(unit, exponent) === 0n;
}

/** `digits` times ten to the power of `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimalOf(value: number): Decimal {
  const [mantissa = '', power = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}

import { canonicalJson, isSameJson } from '@app/primitives/json';
import { _, type Ajv, type ErrorObject, type FuncKeywordDefinition, Name } from 'ajv';
import { allowedText } from './schema-messages';

/**
 * Keywords where Ajv's own misjudge JSON. Its arithmetic is that of doubles, so that `multipleOf` 0.01 refuses 19.99; its
 * comparison of values throws for a member called `toString`; it looks names up in objects that inherit `constructor`.
 */
export function replaceKeywords(ajv: Ajv): void {
  for (const definition of [multipleOf, constant, enumeration, uniqueItems]) {
    ajv.removeKeyword(definition.keyword as string);
    ajv.addKeyword(definition);
  }
  mindOwnNames(ajv);
}

const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  errors: false,
  error: { message: ({ schema }) => `must be multiple of ${String(schema)}` },
  compile: (divisor: number) => (value: number) => isMultipleOf(value, divisor),
};

const constant: FuncKeywordDefinition = {
  keyword: 'const',
  errors: false,
  error: { message: ({ schema }) => allowedText([schema]) },
  compile: (wanted: unknown) => (value: unknown) => isSameJson(wanted, value),
};

const enumeration: FuncKeywordDefinition = {
  keyword: 'enum',
  schemaType: 'array',
  errors: false,
  error: { message: ({ schema }) => allowedText(schema as readonly unknown[]) },
  compile: (wanted: readonly unknown[]) => (value: unknown) => wanted.some((one) => isSameJson(one, value)),
};

const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  compile: (isWanted: boolean) => {
    const check: { (items: readonly unknown[]): boolean; errors?: Partial<ErrorObject>[] } = (items) => {
      const pair = isWanted ? firstPair(items) : undefined;
      if (!pair) return true;
      const message = `must NOT have duplicate items (items ## ${pair[0]} and ${pair[1]} are identical)`;
      check.errors = [{ keyword: 'uniqueItems', message, params: {} }];
      return false;
    };
    return check;
  },
};

/** The places of the first item that is there twice; one pass over the list, whatever its items are. */
function firstPair(items: readonly unknown[]): readonly [number, number] | undefined {
  const places = new Map<string, number>();
  for (const [place, item] of items.entries()) {
    const text = canonicalJson(item);
    const earlier = places.get(text);
    if (earlier !== undefined) return [earlier, place];
    places.set(text, place);
  }
  return undefined;
}

/** `unevaluatedProperties` collects names at run time in an object: one that inherits nothing from here on. */
function mindOwnNames(ajv: Ajv): void {
  const definition = ajv.getKeyword('unevaluatedProperties');
  // Draft-07 does not know it.
  if (typeof definition !== 'object' || !('code' in definition)) return;
  const generate = definition.code;
  definition.code = (context, ruleType) => {
    const { gen, it } = context;
    const { props } = it;
    if (props instanceof Name) {
      gen.if(_`${props} && ${props} !== true`, () =>
        gen.assign(props, _`Object.assign(Object.create(null), ${props})`),
      );
    }
    generate.call(definition, context, ruleType);
  };
}

/**
 * Whether a number is a whole multiple of another one, both taken as the decimals they are written as: 19.99 is one of
 * 0.01, though the nearest doubles of both say otherwise.
 * @param divisor greater than zero
 */
function isMultipleOf(value: number, divisor: number): boolean {
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

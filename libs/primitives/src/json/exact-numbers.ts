import { escapePointer } from './json-pointer';
import { endOfString, memberName } from './strict-json';

// Whatever is shorter and has no exponent comes back as it was written.
const suspicious = /[\d.]{16}|\d[eE]/;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** An object or array that is not closed yet. */
interface Container {
  readonly pointer: string;
  /** An index, or the name of a member. */
  place: number | string;
}

/**
 * The JSON Pointers of the numbers in a JSON text that not every parser keeps exactly: decimals that change on their
 * way through a double, and integers beyond 2^53 - 1 (RFC 7493 §2.2). The text must be JSON.
 */
export function inexactNumbers(json: string): string[] {
  const inexact: string[] = [];
  if (!suspicious.test(json)) return inexact;
  const open: Container[] = [];
  let nameNext = false;
  for (let at = 0; at < json.length; at++) {
    const inside = open.at(-1);
    switch (json[at]) {
      case '"': {
        const end = endOfString(json, at);
        if (nameNext && inside) inside.place = memberName(json.slice(at, end + 1));
        nameNext = false;
        at = end;
        break;
      }
      case '{':
        open.push({ pointer: pointerIn(inside), place: '' });
        nameNext = true;
        break;
      case '[':
        open.push({ pointer: pointerIn(inside), place: 0 });
        break;
      case '}':
      case ']':
        open.pop();
        nameNext = false;
        break;
      case ',':
        if (typeof inside?.place === 'number') inside.place++;
        else nameNext = true;
        break;
      default: {
        number.lastIndex = at;
        const source = number.exec(json)?.[0];
        if (source === undefined) break;
        if (!isExactNumber(source)) inexact.push(pointerIn(inside));
        at += source.length - 1;
      }
    }
  }
  return inexact;
}

function pointerIn(inside: Container | undefined): string {
  return inside ? `${inside.pointer}/${escapePointer(String(inside.place))}` : '';
}

/** Whether every parser reads this decimal text as the same number. */
export function isExactNumber(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  return decimal(source) === decimal(String(value));
}

/** A normal form of each number: digits without leading and trailing zeros, and a power of ten. */
function decimal(source: string): string {
  const [mantissa = '', power = '0'] = source.toLowerCase().replace(/^[+-]/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  if (start === end) return '0';
  const exponent = Number(power) - fraction.length + digits.length - end;
  return `${source.startsWith('-') ? '-' : ''}${digits.slice(start, end)}e${exponent}`;
}

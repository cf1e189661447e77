import { isJsonObject, type JsonValue } from './strict-json';

/** Whether a text is a JSON Pointer (RFC 6901) to something inside: the empty one is to the whole. */
export function isInnerPointer(text: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)+$/u.test(text);
}

/** A member name as one step of a JSON Pointer (RFC 6901 §3), without the slash before it. */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The name of one step of a JSON Pointer (RFC 6901 §4). */
export function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The names and indexes in a JSON Pointer. */
export function stepsOf(pointer: string): string[] {
  return pointer.split('/').slice(1).map(unescapePointer);
}

/** What a JSON Pointer leads to; `undefined` when it leads to nothing. */
export function valueAt(whole: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = whole;
  for (const step of stepsOf(pointer)) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

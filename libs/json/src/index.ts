export { canonicalJson } from './canonical-json';
export { inexactNumbers, isExactNumber } from './exact-numbers';
export { isSameJson } from './json-equality';
export { escapePointer, unescapePointer } from './json-pointer';
export {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseStrictJson,
  parseStrictJsonObject,
  StrictJsonError,
} from './strict-json';

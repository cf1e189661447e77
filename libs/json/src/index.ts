export { inexactNumbers, isExactNumber } from './exact-numbers';
export { escapePointer } from './json-pointer';
export {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseStrictJson,
  parseStrictJsonObject,
  StrictJsonError,
} from './strict-json';

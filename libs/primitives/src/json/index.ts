export { canonicalJson } from './canonical-json';
export { closestOf, meant, unknownName } from './closest-name';
export { inexactNumbers, isExactNumber } from './exact-numbers';
export { hiddenFault, withoutHidden } from './hidden-characters';
export { isSameJson } from './json-equality';
export { escapePointer, isInnerPointer, stepsOf, valueAt } from './json-pointer';
export {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseStrictJson,
  parseStrictJsonObject,
  StrictJsonError,
} from './strict-json';
export { hasAtMost } from './text-length';
export { lineOfYamlError } from './yaml-line';

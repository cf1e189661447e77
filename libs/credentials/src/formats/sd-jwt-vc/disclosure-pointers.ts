import { isInnerPointer, stepsOf } from '@app/primitives/json';
import { ClaimsError } from '../../presentation/claims';

// SD-JWT VC draft 19 §2.2.2.2 with drafts before it: these and everything inside them must stay visible.
export const alwaysVisible = ['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'aka_vcts', 'status'] as const;

/** Which members of one object or array become disclosures, and which of them have such members inside. */
export type DisclosureTree = Map<string, { disclosed: boolean; inside: DisclosureTree }>;

/** Says whether a top-level claim may never be selectively disclosable. */
export function isAlwaysVisible(name: string): boolean {
  return alwaysVisible.some((one) => one === name);
}

/**
 * Refuses malformed JSON Pointers (RFC 6901), the empty one, and pointers to or into claims that must stay visible
 * (iss, nbf, exp, cnf, vct, vct#integrity, aka_vcts, status). Throws `ClaimsError`.
 */
export function assertDisclosurePointers(pointers: readonly string[]): void {
  disclosureTree(pointers);
}

/** Reads JSON Pointers into a tree of the places they name. Throws `ClaimsError`. */
export function disclosureTree(pointers: readonly string[]): DisclosureTree {
  const root: DisclosureTree = new Map();
  for (const pointer of pointers) {
    const tokens = readPointer(pointer);
    let level = root;
    for (const [index, token] of tokens.entries()) {
      const place = level.get(token) ?? { disclosed: false, inside: new Map() };
      if (index === tokens.length - 1) place.disclosed = true;
      level.set(token, place);
      level = place.inside;
    }
  }
  return root;
}

function readPointer(pointer: string): string[] {
  if (!isInnerPointer(pointer)) {
    throw new ClaimsError('invalid-pointer', pointer, 'must be a JSON Pointer such as /given_name');
  }
  const tokens = stepsOf(pointer);
  if (tokens[0] !== undefined && isAlwaysVisible(tokens[0])) {
    throw new ClaimsError('protected-claim', pointer, 'must not be selectively disclosable: it is always visible');
  }
  return tokens;
}

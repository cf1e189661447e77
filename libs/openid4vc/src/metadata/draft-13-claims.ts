import { type ClaimDescription } from '../formats/configuration-members';

/** Claims as drafts 11 to 14 show them: nested maps whose leaves describe a claim. */
export type Draft13Claims = Record<string, unknown>;

interface Branch {
  readonly children: Map<string, Branch>;
  description?: Record<string, unknown>;
}

// Below the first level these names describe the claim above (draft 13 appendix A.3.2), so no claim can bear them.
const DESCRIBING_WORDS = new Set(['mandatory', 'value_type', 'display']);

/**
 * Turns claim descriptions by path into the nested maps of draft 13. What that draft cannot express is left out:
 * a path into an array ends at the array, and a claim with claims below it is shown without its own description.
 */
export function draft13Claims(claims: readonly ClaimDescription[]): Draft13Claims | undefined {
  const root: Branch = { children: new Map() };
  for (const claim of claims) grow(root, claim);
  return root.children.size === 0 ? undefined : render(root);
}

function grow(root: Branch, { path, mandatory, display }: ClaimDescription): void {
  let branch = root;
  for (const [depth, step] of path.entries()) {
    if (typeof step !== 'string') return;
    if (depth > 0 && DESCRIBING_WORDS.has(step)) return;
    let next = branch.children.get(step);
    if (next === undefined) {
      next = { children: new Map() };
      branch.children.set(step, next);
    }
    branch = next;
  }
  branch.description = {
    ...(mandatory === undefined ? {} : { mandatory }),
    ...(display === undefined ? {} : { display }),
  };
}

function render(branch: Branch): Record<string, unknown> {
  if (branch.children.size === 0) return branch.description ?? {};
  return Object.fromEntries([...branch.children].map(([name, child]) => [name, render(child)]));
}

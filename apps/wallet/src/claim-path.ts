/** Way to a claim, as DCQL writes it (OpenID4VP 1.0 §7): member name, array index, or null for every element. */
export type ClaimPath = readonly (string | number | null)[];

/** Every value the path leads to; none when a member is missing or has another type than the path expects. */
export function valuesAt(root: unknown, path: ClaimPath): unknown[] {
  const [step, ...rest] = path;
  if (step === undefined) return root === undefined ? [] : [root];
  if (typeof step === 'string') {
    const isRecord = typeof root === 'object' && root !== null && !Array.isArray(root);
    return isRecord && Object.hasOwn(root, step) ? valuesAt((root as Record<string, unknown>)[step], rest) : [];
  }
  if (!Array.isArray(root)) return [];
  const elements: unknown[] = root;
  return (step === null ? elements : elements.slice(step, step + 1)).flatMap((element) => valuesAt(element, rest));
}

/** For people: `address.locality`, `levels[0]`, `levels[*]`. */
export function pathText(path: ClaimPath): string {
  return path
    .map((step) => (typeof step === 'string' ? `.${step}` : `[${step ?? '*'}]`))
    .join('')
    .replace(/^\./, '');
}

/** The other way round, as typed on the command line; digits between dots count as array indexes. */
export function parsePathText(text: string): ClaimPath {
  return text
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map(stepOf);
}

function stepOf(text: string): string | number | null {
  if (text === '*') return null;
  return /^\d+$/.test(text) ? Number(text) : text;
}

/**
 * Reads the part of JSONPath that presentation definitions use: `$.a.b`, `$['a']`, `$[0]`, `$[*]`.
 * Undefined for anything more (filters, recursion, slices): a wallet runs no expressions of other parties.
 */
export function parseJsonPath(text: string): ClaimPath | undefined {
  if (!text.startsWith('$')) return undefined;
  const steps: (string | number | null)[] = [];
  const step = /\.(?<name>[A-Za-z_@][\w@-]*)|\[(?:'(?<single>[^']+)'|"(?<double>[^"]+)"|(?<index>\d+)|(?<all>\*))\]/y;
  step.lastIndex = 1;
  while (step.lastIndex < text.length) {
    const { name, single, double, index, all } = step.exec(text)?.groups ?? {};
    const member = name ?? single ?? double;
    if (member !== undefined) steps.push(member);
    else if (index !== undefined) steps.push(Number(index));
    else if (all !== undefined) steps.push(null);
    else return undefined;
  }
  return steps;
}

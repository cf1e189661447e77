import { execFileSync } from 'node:child_process';
import type { Measured } from './load';

/** A Node.js that runs the floor: the faster of two is what the service is compared with. */
export interface FloorNode {
  /** Of the contender. */
  readonly name: string;
  /** Path of the executable. */
  readonly node: string;
}

/** The releases that the product runs on. Neither is the faster one for every flow. */
const releases = [20, 24];

/** That of this process, and that of `BENCH_NODE`, which must be of another release. */
export function floorNodes(
  other = process.env['BENCH_NODE'],
  version: (node: string) => string = (node) => execFileSync(node, ['--version'], { encoding: 'utf8' }),
): FloorNode[] {
  const nodes = [process.execPath, ...(other === undefined ? [] : [other])].map((node) => ({
    name: nameOf(version(node)),
    node,
  }));
  const [own, second] = nodes;
  if (own?.name === second?.name) throw new Error(`BENCH_NODE must name another release of Node than ${own?.name}.`);
  return nodes;
}

/** @param version as `node --version` prints it */
function nameOf(version: string): string {
  return `floor, Node ${/^v(\d+)\./.exec(version)?.[1] ?? version.trim()}`;
}

/** What the table does not compare with; `undefined` when there is nothing to say. */
export function missingFloor(nodes: readonly FloorNode[]): string | undefined {
  const missing = releases.filter((release) => !nodes.some(({ name }) => name === `floor, Node ${release}`));
  return missing.length === 0 ? undefined : `no floor on Node ${missing.join(' and ')}: \`BENCH_NODE\` names none`;
}

/** The one that does more per second. Absent where there is none, or no figure of one of them. */
export function fasterFloor(measured: ReadonlyMap<string, Measured>): Measured | undefined {
  const floors = [...measured].flatMap(([name, figures]) => (name.startsWith('floor') ? [figures] : []));
  const [fastest] = floors.toSorted((one, next) => next.perSecond - one.perSecond);
  return floors.some(({ perSecond }) => Number.isNaN(perSecond)) ? undefined : fastest;
}

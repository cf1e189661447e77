import { documentPolicy, expectedMdoc, presentationBytes } from '../../../fixtures/mdoc';
import vectors from '../../../fixtures/mdoc-vectors.json';
import { refusalReason } from '../../presentation-check';
import { verifyPresentation } from '../../presentation-verifier';
import { disclosedElements } from './data-elements';
import { readDeviceResponse } from './device-response';

/** Numbers that are the same in every run (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const heads = [
  0x00, 0x18, 0x20, 0x3b, 0x40, 0x58, 0x5b, 0x60, 0x78, 0x80, 0x9f, 0xa0, 0xb9, 0xbf, 0xc0, 0xd8, 0xf6, 0xf7, 0xf9,
  0xff,
];

/** One to four bytes changed, put in, taken out or repeated. */
function mutated(bytes: Buffer, next: (below: number) => number): Buffer {
  let result: Buffer = Buffer.from(bytes);
  for (let times = 1 + next(4); times > 0; times -= 1) {
    const at = next(result.length);
    const length = 1 + next(8);
    const parts = [
      () => result.fill(heads[next(heads.length)] ?? 0, at, at + 1),
      () => result.fill(next(256), at, at + 1),
      () => Buffer.concat([result.subarray(0, at), Buffer.of(next(256)), result.subarray(at)]),
      () => Buffer.concat([result.subarray(0, at), result.subarray(at + length)]),
      () => Buffer.concat([result.subarray(0, at + length), result.subarray(at)]),
      () => result.subarray(0, at),
    ];
    result = parts[next(parts.length)]?.() ?? result;
    if (result.length === 0) return Buffer.of(0xa0);
  }
  return result;
}

/** What is read before any signature, of elements and all. */
function read(text: string): 'read' | 'refused' {
  try {
    disclosedElements(readDeviceResponse(text));
    return 'read';
  } catch (error) {
    // Anything else is a fault of the reader.
    if (refusalReason(error) === undefined) throw error;
    return 'refused';
  }
}

describe.each<[string, Buffer]>([
  ['of the fixture', presentationBytes()],
  ['of a wallet in use', Buffer.from(vectors.ofWallet.response, 'base64url')],
])('a response %s that is changed at random', (_, honest) => {
  it('is read or refused', () => {
    const next = numbers(18013);
    const found = new Set<string>();
    for (let time = 0; time < 48_000; time += 1) found.add(read(mutated(honest, next).toString('base64url')));
    expect([...found].sort()).toEqual(['read', 'refused']);
  });

  it('is a result, and never one with other claims', async () => {
    const policy = documentPolicy();
    const next = numbers(18014);
    const honestResult = await verifyPresentation(honest.toString('base64url'), expectedMdoc, policy);
    const released = honestResult.verified ? [JSON.stringify(honestResult.credential.claims)] : [];
    const others: string[] = [];
    for (let time = 0; time < 2_000; time += 1) {
      const result = await verifyPresentation(mutated(honest, next).toString('base64url'), expectedMdoc, policy);
      if (result.verified) others.push(JSON.stringify(result.credential.claims));
    }
    // An element fewer is not another one.
    const isPart = (text: string): boolean => {
      const [all, part] = [released[0] ?? '{}', text].map((json) => JSON.parse(json) as Record<string, object>);
      return Object.entries(part ?? {}).every(([name, elements]) =>
        Object.entries(elements).every(([key, value]) => {
          const whole = all?.[name] as Record<string, unknown> | undefined;
          return JSON.stringify(whole?.[key]) === JSON.stringify(value);
        }),
      );
    };
    expect(others.filter((one) => !isPart(one))).toEqual([]);
  });
});

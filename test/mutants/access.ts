import type { FileMutants } from './mutant';

export const accessMutants: readonly FileMutants[] = [
  {
    file: 'libs/http/src/server/unparsed-requests.ts',
    tests: ['test/refusals/http-limits.test.ts'],
    mutants: [
      {
        noticed: 'callers with too large headers read a bare 431 and look for the fault elsewhere',
        original: "const body = status === 431 ? (ofLargeHeaders ?? '') : '';",
        replacement: "const body = '' + (ofLargeHeaders ?? '').slice(0, 0);",
      },
      {
        noticed: 'a refusal is written into the answer that another request of the connection is getting',
        original: 'if (connection.writable && connection._httpMessage?.headersSent !== true) {',
        replacement: 'if (connection.writable) {',
      },
    ],
  },
  {
    file: 'libs/primitives/src/json/text-length.ts',
    tests: ['libs/http/src/contract/input.spec.ts'],
    mutants: [
      {
        noticed: 'a name in emoji is refused, though openapi.json allows it',
        original: ' || (text.length <= 2 * most && Array.from(text).length <= most)',
      },
    ],
  },
  {
    file: 'libs/access/src/made-keys/made-keys.controller.ts',
    tests: ['test/access/made-keys.test.ts'],
    mutants: [
      {
        noticed: 'whoever may make API keys gives themselves every right',
        original: '!caller || foreign !== -1',
        replacement: '!caller',
      },
    ],
  },
  {
    file: 'libs/access/src/caller-proofs.ts',
    tests: ['test/access/bound-tokens.test.ts'],
    mutants: [
      {
        noticed: 'a token that is bound to a key is good for everybody who finds it',
        original: "return scheme === 'Bearer' ? bound : this",
        replacement: "return scheme === 'Bearer' ? undefined : this",
      },
      {
        noticed: 'the key of anybody opens a token that is bound to another one',
        original: 'if (proof.thumbprint !== boundTo)',
        replacement: 'if (proof.thumbprint === undefined)',
      },
      {
        noticed: 'a proof of a management call can be used again',
        original: 'await this.store.consume({ kind: use, ...proof.use });',
      },
      {
        noticed: 'a proof is good for any token of its key',
        original: 'accessToken: text, ',
      },
    ],
  },
  {
    file: 'libs/access/src/access-tokens.ts',
    tests: ['libs/access/src/access-tokens.spec.ts'],
    mutants: [
      {
        noticed: 'a binding that nobody here can check is ignored beside one that can be checked',
        original: 'unknownHere.some((member) => Object.hasOwn(members, member))',
        replacement: 'unknownHere.some((member) => member === jkt)',
      },
    ],
  },
  {
    file: 'libs/access/src/access-tokens.ts',
    tests: ['libs/access/src/access-tokens.spec.ts'],
    mutants: [
      {
        noticed: 'an ID token opens the management API where tokens of any type do',
        original: ' || claimsOfOthers.some((claim) => claim in payload)',
      },
    ],
  },
];

import fc from 'fast-check';
import type { JsonObject, JsonValue } from '@app/primitives/json';
import { encodeTransactionData } from '@app/openid4vc';
import { digest, expected, holderKey, policy, query, sdJwt, sdJwtPresentation } from '../../../fixtures/presentations';
import { expectRefusal } from '../../../fixtures/refusal';
import { verifyPresentation } from '../../presentation-verifier';
import type { ExpectedPresentation, ExpectedTransactionData } from '../../presentation/expected-presentation';
import { decodeKeyBinding } from './key-binding';
import { confirmedData } from './transaction-data';

const entry = (content: JsonObject): string =>
  encodeTransactionData({ type: 'payment', credential_ids: [query.id], ...content });
const payment = entry({ amount: '12.50' });
const contract = entry({ amount: '99.00', transaction_data_hashes_alg: ['sha-256'] });
const ask = (...encoded: string[]): ExpectedTransactionData[] =>
  encoded.map((text) => ({ encoded: text, listsAlgorithms: text === contract }));

const keyBindingJwt = decodeKeyBinding(holderKey.sign({ typ: 'kb+jwt' }, {}));

function verify(keyBinding: JsonObject, transactionData: ExpectedPresentation['transactionData'] = ask(payment)) {
  return verifyPresentation(sdJwtPresentation({ keyBinding }), { ...expected, transactionData }, policy());
}

describe('the transaction data that a presentation confirms', () => {
  const named = { transaction_data_hashes_alg: 'sha-256' };

  it.each<[string, JsonObject, string[], string[]]>([
    ['the entry that was asked for', { transaction_data_hashes: [digest(payment)] }, [payment], [payment]],
    ['with the algorithm, unasked', { transaction_data_hashes: [digest(payment)], ...named }, [payment], [payment]],
    [
      'several in the order of the request',
      { transaction_data_hashes: [payment, contract].map((text) => digest(text)), ...named },
      [payment, contract],
      [payment, contract],
    ],
    [
      'one of two, as another credential may confirm the other',
      { transaction_data_hashes: [digest(contract)], ...named },
      [payment, contract],
      [contract],
    ],
    ['none', {}, [payment], []],
    ['none, in an empty list', { transaction_data_hashes: [] }, [payment], []],
  ])('are known: %s', async (_, keyBinding, asked, confirmed) => {
    const result = await verify(keyBinding, ask(...asked));
    expect(result).toMatchObject({ verified: true, credential: { confirmed } });
    expect(result.checks).toContainEqual({ name: 'transaction-data', outcome: 'passed' });
  });

  it.each<[string, JsonValue, string[], JsonObject?]>([
    ['a hash of the decoded JSON', [digest(decoded(payment))], [payment]],
    ['a hash with SHA-512', [digest(payment, 'sha512')], [payment]],
    [
      'a hash with SHA-512 that is named',
      [digest(payment, 'sha512')],
      [payment],
      { transaction_data_hashes_alg: 'sha-512' },
    ],
    ['another algorithm named', [digest(payment)], [payment], { transaction_data_hashes_alg: 'sha-512' }],
    ['a list of algorithms', [digest(payment)], [payment], { transaction_data_hashes_alg: ['sha-256'] }],
    ['no algorithm where the request lists some', [digest(contract)], [contract]],
    ['the hashes in another order', [contract, payment].map((text) => digest(text)), [payment, contract], named],
    ['one hash too many', [digest(payment), digest('x')], [payment]],
    ['a hash twice', [digest(payment), digest(payment)], [payment]],
    ['a hash of an entry for another credential', [digest(contract)], [payment], named],
    ['a hash where nothing was asked to be confirmed', [digest(payment)], []],
    ['a hash in another encoding', [Buffer.from(digest(payment), 'base64url').toString('hex')], [payment]],
    ['a padded hash', [`${digest(payment)}=`], [payment]],
    ['a hash alone', digest(payment), [payment]],
    ['null', null, [payment]],
    ['an object', {}, [payment]],
    ['a number among the hashes', [1], [payment]],
  ])('are refused with %s', async (...[, hashes, asked, changes]) => {
    expectRefusal(await verify({ transaction_data_hashes: hashes, ...changes }, ask(...asked)), 'transaction-data');
  });

  it('are none of a credential that is presented without holder binding', async () => {
    const unbound = { ...query, require_cryptographic_holder_binding: false };
    const result = await verifyPresentation(
      sdJwt(),
      { ...expected, query: unbound, transactionData: ask(payment) },
      policy(),
    );
    expect(result).toMatchObject({
      verified: true,
      credential: expect.not.objectContaining({ confirmed: [] }) as object,
    });
  });

  it('are those whose text, as it was sent, was hashed, whatever it says', () => {
    const content = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    fc.assert(
      fc.property(fc.array(content, { minLength: 1, maxLength: 4 }), fc.nat(), (contents, at) => {
        const texts = contents.map((members, id) => entry({ members: members as JsonValue, id }));
        const confirm = (hashed: readonly string[]) => {
          const payload = { transaction_data_hashes: hashed.map((text) => digest(text)) };
          return confirmedData({ ...keyBindingJwt, payload }, ask(...texts));
        };
        expect(confirm(texts)).toEqual(texts);
        // The same data, written in another way.
        const rewritten = texts.map((text, index) => (index === at % texts.length ? spaced(text) : text));
        expect(() => confirm(rewritten)).toThrow('a hash of the key binding JWT is not of transaction data');
      }),
    );
  });
});

function decoded(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8');
}

function spaced(text: string): string {
  return Buffer.from(JSON.stringify(JSON.parse(decoded(text)), null, 1)).toString('base64url');
}

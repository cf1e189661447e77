import { digestOf, inSeconds, presentSdJwt } from './credentials';
import {
  bound,
  byPublicKey,
  credential,
  holder,
  issuedSdJwt,
  issuer,
  keyBinding,
  noSignature,
  presentation,
  type SdJwtRefusal,
  stranger,
} from './sd-jwt-cases';

/** Faults of the key binding (cases 121 to 132), and what a query does not accept. */
export const bindingRefusals: readonly SdJwtRefusal[] = [
  { no: 121, what: 'no key binding', check: 'key-binding', ...presentation({ bare: true }) },
  {
    no: 122,
    what: 'a bad key binding that nobody asked for',
    check: 'key-binding',
    query: { require_cryptographic_holder_binding: false },
    ...keyBinding({ signer: stranger }),
  },
  {
    no: 122,
    what: 'the nonce of a key binding that nobody asked for',
    check: 'nonce',
    query: { require_cryptographic_holder_binding: false },
    ...bound(() => ({ nonce: 'x' })),
  },
  { no: 123, what: 'a key binding of another typ', check: 'key-binding', ...keyBinding({ header: { typ: 'JWT' } }) },
  {
    no: 124,
    what: 'a key binding with none',
    check: 'key-binding',
    ...keyBinding({ header: { alg: 'none' }, sign: noSignature }),
  },
  {
    no: 124,
    what: 'a key binding with HS256',
    check: 'key-binding',
    ...keyBinding({ header: { alg: 'HS256' }, sign: byPublicKey }),
  },
  { no: 125, what: 'a key binding by another holder', check: 'key-binding', ...keyBinding({ signer: stranger }) },
  { no: 125, what: 'a key binding by the issuer', check: 'key-binding', ...keyBinding({ signer: issuer }) },
  {
    no: 125,
    what: 'a key binding by a key in its header',
    check: 'key-binding',
    ...keyBinding({ signer: stranger, header: { jwk: stranger.jwk } }),
  },
  { no: 126, what: 'another nonce', check: 'nonce', ...bound(() => ({ nonce: 'x' })) },
  { no: 126, what: 'no nonce', check: 'nonce', ...bound(() => ({ nonce: undefined })) },
  { no: 126, what: 'a nonce in a list', check: 'nonce', ...bound(({ nonce }) => ({ nonce: [nonce] })) },
  { no: 127, what: 'another aud', check: 'audience', ...bound(() => ({ aud: 'did:web:other.example' })) },
  { no: 127, what: 'no aud', check: 'audience', ...bound(() => ({ aud: undefined })) },
  { no: 127, what: 'a list as aud', check: 'audience', ...bound(({ clientId }) => ({ aud: [clientId] })) },
  {
    no: 127,
    what: 'an aud without the prefix',
    check: 'audience',
    ...bound(({ clientId }) => ({ aud: clientId.replace(/^[^:]+:/, '') })),
  },
  {
    no: 127,
    what: 'an aud with the prefix',
    check: 'audience',
    ...bound(({ clientId }) => ({ aud: `decentralized_identifier:${clientId}` }), 'draft-20'),
  },
  {
    no: 127,
    what: 'the response URI as aud',
    check: 'audience',
    ...bound(({ responseUri }) => ({ aud: responseUri })),
  },
  {
    no: 128,
    what: 'a key binding of last year',
    check: 'key-binding',
    ...bound(() => ({ iat: inSeconds(-31_536_000) })),
  },
  {
    no: 128,
    what: 'a key binding of next year',
    check: 'key-binding',
    ...bound(() => ({ iat: inSeconds(31_536_000) })),
  },
  { no: 128, what: 'a key binding without iat', check: 'key-binding', ...bound(() => ({ iat: undefined })) },
  { no: 129, what: 'an expired key binding', check: 'key-binding', ...bound(() => ({ exp: inSeconds(-120) })) },
  { no: 130, what: 'another sd_hash', check: 'key-binding', ...bound(() => ({ sd_hash: digestOf('x') })) },
  { no: 130, what: 'no sd_hash', check: 'key-binding', ...bound(() => ({ sd_hash: undefined })) },
  {
    no: 130,
    what: 'a disclosure dropped after signing',
    check: 'key-binding',
    ...presentation({
      text: (text) =>
        text
          .split('~')
          .filter((_, index) => index !== 2)
          .join('~'),
    }),
  },
  {
    no: 132,
    what: 'a credential bound to no key',
    check: 'key-binding',
    ...credential({ payload: { cnf: undefined } }),
  },
  {
    no: 132,
    what: 'a credential bound to a private key',
    check: 'key-binding',
    ...credential({ payload: { cnf: { jwk: { ...holder.jwk, d: 'AAAA' } } } }),
  },
  {
    no: 139,
    what: 'a stolen credential',
    check: 'key-binding',
    token: (received) => presentSdJwt(issuedSdJwt(), stranger, received),
  },
  { no: 145, what: 'a requested claim withheld', check: 'query', ...presentation({ reveal: ['level'] }) },
  { no: 146, what: 'another value', check: 'query', ...credential({ claims: { given_name: 'Erika' } }) },
  {
    no: 150,
    what: 'another vct',
    check: 'query',
    ...credential({ payload: { vct: 'https://credentials.example/other' } }),
  },
  { no: 155, what: 'a status of unknown kind', check: 'status', ...credential({ payload: { status: { other: {} } } }) },
  {
    no: 155,
    what: 'a status beside a status list',
    check: 'status',
    ...credential({ payload: { status: { other: {}, status_list: { idx: 0, uri: 'https://x.example' } } } }),
  },
  {
    no: 156,
    what: 'a negative index',
    check: 'status',
    ...credential({ payload: { status: { status_list: { idx: -1, uri: 'https://x.example' } } } }),
  },
];

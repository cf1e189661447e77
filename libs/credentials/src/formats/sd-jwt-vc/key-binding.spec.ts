import type { JsonObject } from '@app/primitives/json';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import {
  audience,
  presentedTo,
  digest,
  disclosures,
  expected,
  holder,
  holderKey,
  issuerKey,
  policy,
  query,
  sdJwt,
  type SdJwtChanges,
  sdJwtPresentation,
  seconds,
} from '../../../fixtures/presentations';
import { expectRefusal } from '../../../fixtures/refusal';
import { type CheckName } from '../../presentation-check';
import { verifyPresentation } from '../../presentation-verifier';
import type { ExpectedPresentation } from '../../presentation/expected-presentation';

const other = signingKey();
const YEAR = 365 * 86_400;
const unbound = { ...query, require_cryptographic_holder_binding: false };

type Row = [what: string, text: string, check: CheckName, changes?: Partial<ExpectedPresentation>];

const refused: Row[] = [
  ['no key binding JWT', sdJwt(), 'key-binding'],
  [
    'an invalid key binding JWT that was not requested',
    sdJwtPresentation({ keyBindingSigner: other }),
    'key-binding',
    { query: unbound },
  ],
  [
    'a key binding JWT for another nonce that was not requested',
    sdJwtPresentation({ keyBinding: { nonce: 'x' } }),
    'nonce',
    { query: unbound },
  ],
  ['another typ', sdJwtPresentation({ keyBindingHeader: { typ: 'JWT' } }), 'key-binding'],
  ['alg none', sdJwtPresentation({ keyBindingHeader: { alg: 'none' } }), 'key-binding'],
  ['alg HS256', sdJwtPresentation({ keyBindingHeader: { alg: 'HS256' } }), 'key-binding'],
  ['an alg that does not fit the key', sdJwtPresentation({ keyBindingHeader: { alg: 'EdDSA' } }), 'key-binding'],
  ['an alg out of policy', sdJwtPresentation({ ...es384Holder() }), 'key-binding'],
  ['signed by the issuer', sdJwtPresentation({ keyBindingSigner: issuerKey }), 'key-binding'],
  ['signed by another holder', sdJwtPresentation({ keyBindingSigner: other }), 'key-binding'],
  [
    'signed by a key that only its header brings',
    sdJwtPresentation({ keyBindingSigner: other, keyBindingHeader: { jwk: { ...other.jwk } } }),
    'key-binding',
  ],
  ['another nonce', sdJwtPresentation({ keyBinding: { nonce: 'n-0S6_WzA2Mk' } }), 'nonce'],
  ['a list of nonces', sdJwtPresentation({ keyBinding: { nonce: [expected.nonce] } }), 'nonce'],
  ['no nonce', sdJwtPresentation({ without: ['nonce'] }), 'nonce'],
  ['another audience', sdJwtPresentation({ keyBinding: { aud: 'x509_san_dns:evil.example' } }), 'audience'],
  ['the audience without its prefix', sdJwtPresentation({ keyBinding: { aud: 'verifier.example' } }), 'audience'],
  [
    'a prefix where the client id has none',
    sdJwtPresentation(),
    'audience',
    { presentedTo: { ...presentedTo, clientId: 'verifier.example' } },
  ],
  ['a list with the audience', sdJwtPresentation({ keyBinding: { aud: [audience] } }), 'audience'],
  ['two audiences, of which the last is right', twice('aud', 'x'), 'structure'],
  ['no audience', sdJwtPresentation({ without: ['aud'] }), 'audience'],
  ['an iat of last year', sdJwtPresentation({ keyBinding: { iat: seconds - YEAR } }), 'key-binding'],
  ['an iat of six minutes ago', sdJwtPresentation({ keyBinding: { iat: seconds - 360 } }), 'key-binding'],
  ['an iat of next year', sdJwtPresentation({ keyBinding: { iat: seconds + YEAR } }), 'key-binding'],
  ['an iat in two minutes', sdJwtPresentation({ keyBinding: { iat: seconds + 120 } }), 'key-binding'],
  ['no iat', sdJwtPresentation({ payload: {}, without: ['iat'] }), 'key-binding'],
  ['an expired key binding JWT', sdJwtPresentation({ keyBinding: { exp: seconds - 61 } }), 'key-binding'],
  ['a key binding JWT of the future', sdJwtPresentation({ keyBinding: { nbf: seconds + 61 } }), 'key-binding'],
  ['another sd_hash', sdJwtPresentation({ keyBinding: { sd_hash: digest('x') } }), 'key-binding'],
  ['no sd_hash', sdJwtPresentation({ without: ['sd_hash'] }), 'key-binding'],
  [
    'an sd_hash of another hash',
    sdJwtPresentation({ keyBinding: { sd_hash: digest(sdJwt(), 'sha384') } }),
    'key-binding',
  ],
  ['a disclosure dropped after signing', sdJwtPresentation().replace(`${disclosures.nation}~`, ''), 'key-binding'],
  ['a disclosure added after signing', addedLater(), 'key-binding'],
  ['a private key in cnf', bound({ ...holderKey.jwk, d: 'AAAA' }), 'key-binding'],
  ['no cnf', sdJwtPresentation({ without: ['cnf'] }), 'key-binding'],
  ['an empty cnf', sdJwtPresentation({ payload: { cnf: {} } }), 'key-binding'],
  ['a cnf.kid that names no key', sdJwtPresentation({ payload: { cnf: { kid: `${holder}#9` } } }), 'key-binding'],
  ['a key binding JWT that is none', `${sdJwt()}abc`, 'structure'],
];

describe('the key binding of a presentation', () => {
  it.each(refused)('is refused with %s', async (...[, text, check, changes]) => {
    expectRefusal(await verifyPresentation(text, { ...expected, ...changes }, policy()), check);
  });
});

/** A presentation whose key binding JWT has a further member in its text. */
function twice(name: string, value: string): string {
  const signRaw = (header: JsonObject, payload: JsonObject): string =>
    holderKey.signText(header, `{"${name}":"${value}",${JSON.stringify(payload).slice(1)}`);
  return sdJwtPresentation({ keyBindingSigner: { ...holderKey, sign: signRaw } });
}

function bound(jwk: JsonObject): string {
  return sdJwtPresentation({ payload: { cnf: { jwk } } });
}

function es384Holder(): SdJwtChanges {
  const key = signingKey('ES384');
  return { payload: { cnf: { jwk: { ...key.jwk } } }, keyBindingSigner: key };
}

/** A presentation of which the key binding JWT covers one disclosure less than it has. */
function addedLater(): string {
  const few = { disclosures: [disclosures.name, disclosures.city] };
  const issued = sdJwtPresentation(few);
  const last = issued.lastIndexOf('~') + 1;
  return `${issued.slice(0, last)}${disclosures.nation}~${issued.slice(last)}`;
}

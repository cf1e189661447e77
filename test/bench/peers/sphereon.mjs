/** Sphereon's issuer with its server and its states in memory. Listens on PORT. It leaves signing to its embedder: by node:crypto here. */
import { VcIssuerBuilder } from '@sphereon/oid4vci-issuer';
import { OID4VCIServer } from '@sphereon/oid4vci-issuer-server';
import express from 'express';
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';

// It prints each event in full, which no setting turns off and which would cost it more than the work itself.
for (const method of ['log', 'info', 'debug', 'warn']) console[method] = () => undefined;

const port = Number(process.env.PORT);
const url = `http://127.0.0.1:${port}/oid4vci`;
const vct = 'https://credentials.example/student';
const dsaEncoding = 'ieee-p1363';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const base64url = (text) => Buffer.from(text).toString('base64url');

function signedJwt(header, payload) {
  const input = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(payload))}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding }).toString('base64url')}`;
}

/** Of key proofs, which name their key, and of its own access tokens. */
async function verifiedJwt({ jwt }) {
  const [head, body, signature] = jwt.split('.');
  const [header, payload] = [head, body].map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  const key = header.jwk ? createPublicKey({ key: header.jwk, format: 'jwk' }) : publicKey;
  const isValid = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key, dsaEncoding },
    Buffer.from(signature, 'base64url'),
  );
  if (!isValid) throw new Error('The signature is not valid.');
  return { jwt: { header, payload }, alg: header.alg, jwk: header.jwk };
}

/** An SD-JWT VC whose claims can each be disclosed. */
async function sdJwt({ credential: { iss, vct, cnf, ...claims }, jwtVerifyResult }) {
  const disclosures = Object.entries(claims).map(([name, value]) =>
    base64url(JSON.stringify([randomBytes(16).toString('base64url'), name, value])),
  );
  const _sd = disclosures.map((each) => createHash('sha256').update(each).digest('base64url')).sort();
  const payload = {
    iss,
    vct,
    iat: Math.floor(Date.now() / 1000),
    cnf: cnf ?? { jwk: jwtVerifyResult.jwk },
    _sd,
    _sd_alg: 'sha-256',
  };
  return [signedJwt({ typ: 'dc+sd-jwt', alg: 'ES256' }, payload), ...disclosures, ''].join('~');
}

const issuer = new VcIssuerBuilder()
  .withCredentialIssuer(url)
  .withCredentialEndpoint(`${url}/credentials`)
  .withNonceEndpoint(`${url}/nonce`)
  .withAuthorizationMetadata({ issuer: url, token_endpoint: `${url}/token`, response_types_supported: ['code'] })
  .withCredentialConfigurationsSupported({
    card: {
      format: 'dc+sd-jwt',
      vct,
      cryptographic_binding_methods_supported: ['jwk'],
      credential_signing_alg_values_supported: ['ES256'],
      proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
    },
  })
  .withInMemoryCredentialOfferState()
  .withInMemoryCredentialOfferURIState()
  .withInMemoryCNonceState()
  .withJWTVerifyCallback(verifiedJwt)
  .withCredentialDataSupplier(async ({ credentialDataSupplierInput }) => ({
    format: 'dc+sd-jwt',
    credential: { iss: url, vct, ...credentialDataSupplierInput },
  }))
  .withCredentialSignerCallback(sdJwt)
  .build();

const app = express();
app.use(express.json(), express.urlencoded({ extended: true }));
app.get('/readyz', (_, response) => response.json({}));
new OID4VCIServer(
  { express: app },
  {
    issuer,
    baseUrl: url,
    endpointOpts: {
      tokenEndpointOpts: {
        accessTokenIssuer: url,
        accessTokenSignerCallback: async ({ header, payload }) => signedJwt(header, payload),
      },
    },
  },
);
app.listen(port, '127.0.0.1');
process.once('SIGTERM', () => process.exit());

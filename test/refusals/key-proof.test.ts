import { Settings } from '@app/config';
import { randomBytes } from 'node:crypto';
import { type Holder, newHolder, type ProofChanges } from '../support/wallets/key-proofs';
import { answered, type Json } from '../support/http/requests';
import { credentialStatus, prepareOffer } from '../support/portal/portal';
import { expectRefusal } from '../support/http/refusals';
import { serviceOfFile } from '../support/service/service-of-file';
import {
  credentialRequest,
  nonceFrom,
  openSession,
  type RequestClass,
  requestCredential,
  type Session,
} from '../support/wallets/wallet';

const service = serviceOfFile();

interface BadProof {
  readonly what: string;
  readonly holder?: Holder;
  readonly header?: Json;
  /** `ISSUER` and `ORIGIN` stand for the addresses of the service. */
  readonly claims?: Json;
  /** Classes that accept it, as a form that older wallets use. */
  readonly acceptedBy?: readonly RequestClass[];
}

const holder = newHolder();
const didHolder = newHolder('ES256', 'did:jwk');

// Each fault of a proof is listed in libs/credentials/src/key-proof/key-proof.spec.ts.
const badProofs: BadProof[] = [
  { what: 'of another typ', header: { typ: 'JWT' } },
  {
    what: 'by a DID inside the network of the service',
    header: { jwk: undefined, kid: 'did:web:localhost%3A5432#key-1' },
  },
  { what: 'for the origin instead of the issuer', claims: { aud: 'ORIGIN' } },
  {
    what: 'for the issuer with a slash at the end',
    claims: { aud: 'ISSUER/' },
    acceptedBy: ['F-single', 'L13'],
  },
  {
    what: 'with the DID of the holder as iss',
    holder: didHolder,
    claims: { iss: didHolder.did },
    acceptedBy: ['F-single', 'L13'],
  },
  { what: 'of 2019 with a live nonce', claims: { iat: 1571324800 }, acceptedBy: ['F-single', 'L13'] },
  { what: 'of an hour from now', claims: { iat: Math.floor(Date.now() / 1000) + 3600 } },
];

describe.each(['F', 'F-single', 'L13'] as const)('a key proof in a request of the shape %s', (requestClass) => {
  // A rejected proof must not use anything up, so all of them use the same token and the same nonce.
  let session: Session;
  let credentialId: string;
  let nonce: string;
  beforeAll(async () => {
    const prepared = await prepareOffer(service.url);
    credentialId = prepared.credentialIds[0] ?? '';
    session = await openSession(prepared.link, requestClass);
    nonce = await nonceFrom(session.offer.issuer);
  });

  const rejected = badProofs.filter(({ acceptedBy }) => acceptedBy?.includes(requestClass) !== true);
  it.each(rejected)('is rejected $what', async (row) => {
    const reply = await requestCredential(session, { nonce, holders: [row.holder ?? holder], proof: proofOf(row) });
    expectRefusal(reply, 400, 'invalid_proof');
    expectNonce(reply.json);
  });

  it.each([undefined, 1571324800])('is rejected for a nonce that was never issued, with iat %p', async (iat) => {
    const proof = iat === undefined || requestClass === 'F' ? {} : { claims: { iat } };
    const reply = await requestCredential(session, { nonce: randomBytes(70).toString('base64url'), proof });
    expectRefusal(reply, 400, requestClass === 'F' ? 'invalid_nonce' : 'invalid_proof');
    expectNonce(reply.json);
  });

  it('has used up neither token nor nonce when it is rejected', async () => {
    expect(await credentialStatus(service.url, credentialId)).toBe('Prepared');
    answered(200, await requestCredential(session, { nonce, holders: [holder] }));
  });

  it('is rejected once its nonce has been used, sent again or made anew', async () => {
    const used = await nonceFrom(session.offer.issuer);
    const body = await credentialRequest(session, { nonce: used, holders: [holder] });
    answered(200, await requestCredential(session, { body }));
    for (const again of [{ body }, { nonce: used }]) {
      const reply = await requestCredential(session, again);
      expectRefusal(reply, 400, requestClass === 'F' ? 'invalid_nonce' : 'invalid_proof');
      expectNonce(reply.json);
    }
  });

  const accepted = badProofs.filter((row) => !rejected.includes(row));
  if (accepted.length === 0) return;
  it.each(accepted)('is accepted $what', async (row) => {
    const another = await openSession((await prepareOffer(service.url)).link, requestClass);
    const fresh = await nonceFrom(another.offer.issuer);
    answered(
      200,
      await requestCredential(another, { nonce: fresh, holders: [row.holder ?? holder], proof: proofOf(row) }),
    );
  });

  function proofOf({ header = {}, claims = {} }: BadProof): ProofChanges {
    const { aud } = claims;
    if (typeof aud !== 'string') return { header, claims };
    const address = aud.replace('ISSUER', session.offer.issuer).replace('ORIGIN', service.url);
    return { header, claims: { ...claims, aud: address } };
  }

  /** Drafts 13 and 14 retry on a nonce in the refusal; a 1.0 wallet calls the nonce endpoint. */
  function expectNonce(body: Json): void {
    if (requestClass === 'F') expect(body).not.toHaveProperty('c_nonce');
    else expect(body).toMatchObject({ c_nonce: expect.any(String) as unknown, c_nonce_expires_in: 300 });
  }
});

describe('a service with SERVICE__HAIP', () => {
  const settings = () => service.app.get(Settings, { strict: false });
  beforeAll(() => Object.assign(settings(), { haip: true }));
  afterAll(() => Object.assign(settings(), { haip: false }));

  it('takes no proof of 2019 from an older wallet either', async () => {
    const session = await openSession((await prepareOffer(service.url)).link, 'L13');
    const proof = { claims: { iat: 1571324800 } };
    expectRefusal(await requestCredential(session, { proof }), 400, 'invalid_proof');
    answered(200, await requestCredential(session));
  });
});

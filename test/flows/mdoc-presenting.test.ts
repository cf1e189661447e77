import { certify } from '@app/credentials/fixtures/certificates';
import { CertificateKeys } from '@app/keys';
import { SQL_DRIVER, type SqlDriver } from '@app/event-store';
import { ServiceIdentity } from '@app/identity';
import { Housekeeping } from '@app/operation';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../event-store/accounts';
import { expectRefusal } from '../support/http/refusals';
import { answered, get, type Json, postForm, postJson, type Reply, send } from '../support/http/requests';
import { prepareOffer, publishedTemplate } from '../support/portal/portal';
import { presentSdJwt } from '../support/presenters/credentials';
import { type HeldMdoc, presentOwnMdoc } from '../support/presenters/own-mdoc';
import { ask, type Asked, receiveRequest, respond, resultOf } from '../support/presenters/presenter';
import { serviceOfFile } from '../support/service/service-of-file';
import { type RunningService, startService } from '../support/service/service';
import { AttestedWallet } from '../support/wallets/attested-wallet';
import { clientId, codeForm, FormBrowser, pushRequest, wayBack } from '../support/wallets/authorization';
import { type DpopKey, dpopProof, newDpopKey } from '../support/wallets/dpop';
import { documentRoot, readMdoc } from '../support/wallets/mdoc-reader';
import { type Holder, keyProof, newHolder } from '../support/wallets/key-proofs';
import { credentialsOf, nonceFrom, offerUri, openSession, receive, requestCredential } from '../support/wallets/wallet';

const day = 24 * 60 * 60 * 1000;
const validity = { notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) };
const wallets = certify({ name: 'wallets', isAuthority: true, ...validity });
const provider = certify({ name: 'provider', issuer: wallets, isAuthority: false, ...validity });
const directory = mkdtempSync(join(tmpdir(), 'mdocs-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** A directory of anchors with this one. */
function anchorsOf(name: string, pem: string, purpose: string): string {
  const anchors = join(directory, name);
  mkdirSync(anchors);
  writeFileSync(join(anchors, 'root.pem'), pem);
  writeFileSync(join(anchors, 'root.yaml'), `purposes: [${purpose}]\n`);
  return anchors;
}

interface Example extends Json {
  readonly templateId: string;
  readonly doctype: string;
  readonly schema: { readonly examples: readonly [Json] };
}
const example = (name: string): Example =>
  JSON.parse(readFileSync(join(__dirname, `../../examples/templates/${name}.json`), 'utf8')) as Example;
const licence = example('mobile-driving-licence');
const pid = example('eu-pid');
const [space, pidSpace] = ['org.iso.18013.5.1', 'eu.europa.ec.eudi.pid.1'];
const dataOf = ({ schema }: Example) => ({ credential: { credentialSubject: schema.examples[0] } });
const publish = async (url: string, template: Json): Promise<void> =>
  void answered(201, await postJson(`${url}/v0/templates`, { ...template, status: 'Published' }));

const licenceQuery = {
  id: 'licence',
  format: 'mso_mdoc',
  meta: { doctype_value: licence.doctype },
  claims: [{ path: [space, 'age_over_18'] }, { path: [space, 'issuing_country'] }],
};
const shownOfLicence = [`${space}.age_over_18`, `${space}.issuing_country`];

describe('a service with SERVICE__HAIP', () => {
  const service = serviceOfFile(() => {
    const SERVICE__TRUST__ANCHORS = anchorsOf('wallets', wallets.certificate.toString(), 'wallet-provider');
    return Promise.resolve({ SERVICE__HAIP: 'true', SERVICE__TRUST__ANCHORS });
  });
  let vct: string;
  let membership: string;
  beforeAll(async () => {
    for (const template of [licence, pid]) await publish(service.url, template);
    vct = 'urn:eudi:pid:1';
    membership = await publishedTemplate(service.url, { vct });
  });

  /** A wallet that is attested and asks by authorization code, with a token that is bound to its key. */
  async function walletOf(id: string, data: Json) {
    const issuer = `${service.url}/openid4vci`;
    const { link, credentialIds } = await prepareOffer(service.url, [id], { grants: ['authorization_code'] }, data);
    const { grants } = answered(200, await get(offerUri(link)));
    const { issuer_state: state } = (grants as Record<string, Json>)['authorization_code'] ?? {};
    const wallet = new AttestedWallet(provider, issuer, clientId);
    const attested = async (): Promise<Record<string, string>> => {
      const { attestation_challenge: challenge } = answered(200, await postForm(`${issuer}/challenge`, ''));
      return wallet.headers({ proof: { challenge } });
    };
    const pushed = await pushRequest(service.url, { issuer_state: String(state), scope: id }, await attested());
    const browser = new FormBrowser(service.url);
    await browser.open(pushed.page);
    const code = wayBack(await browser.press('approve')).get('code') ?? '';
    const key = newDpopKey();
    const tokenFor = async (form: Readonly<Record<string, string>>): Promise<Json> => {
      const post = async (nonce?: unknown) =>
        postForm(`${issuer}/token`, Object.entries(form), {
          ...(await attested()),
          DPoP: dpopProof(key, `${issuer}/token`, undefined, { claims: { nonce } }),
        });
      return answered(200, await withNonce(post));
    };
    const copyFor = async (holder: Holder, token: Json): Promise<string> => {
      const reply = await withNonce((nonce) => credentialFor(issuer, id, { holder, key, token, nonce }));
      return credentialsOf(answered(200, reply))[0] ?? '';
    };
    return { token: await tokenFor(codeForm(code, pushed)), tokenFor, copyFor, credentialId: credentialIds[0] ?? '' };
  }

  async function held(
    { templateId, doctype }: Example,
    data: Json,
  ): Promise<HeldMdoc & { readonly credentialId: string }> {
    const { token, copyFor, credentialId } = await walletOf(templateId, data);
    const holder = newHolder();
    return { credential: await copyFor(holder, token), holder, doctype, credentialId };
  }

  // As HAIP has it, the result is for whoever comes back with the person.
  const askFor = (dcql_query: Json) =>
    ask(service.url, { dcql_query, responseMode: 'direct_post.jwt', redirectUri: `${service.url}/done` });
  const resultFor = async ({ state }: Asked, { json }: Reply): Promise<Json> => {
    const responseCode = new URL(String(json['redirect_uri'])).hash.replace('#response_code=', '');
    return answered(
      200,
      await postJson(`${service.url}/v0/authorization_requests/${state}/response_code`, { responseCode }),
    );
  };
  const answerBy = async (mdoc: HeldMdoc, credentials: readonly Json[] = [licenceQuery]) => {
    const asked = await askFor({ credentials });
    const received = await receiveRequest(asked, 'haip');
    const reply = await respond(received, {
      tokens: { licence: await presentOwnMdoc(mdoc, received, shownOfLicence) },
    });
    return { asked, reply };
  };

  it('issues an mdoc to an attested wallet, verifies it without an anchor, and knows its status without the network', async () => {
    const mdoc = await held(licence, dataOf(licence));
    const { asked, reply } = await answerBy(mdoc);
    expect(asked.answer['warnings'] ?? []).toEqual([]);
    answered(200, reply);
    expect(await resultFor(asked, reply)).toMatchObject({
      status: 'verified',
      credentials: [
        {
          format: 'mso_mdoc',
          issuer: 'C=UT, CN=Sealwright development IACA',
          claims: { [space]: { age_over_18: true, issuing_country: 'UT' } },
          status: 'valid',
          trust: 'trusted',
        },
      ],
    });
    answered(204, await postJson(`${service.url}/v0/credentials/${mdoc.credentialId}/revoke`, {}));
    let result: Json = {};
    await eventually(async () => {
      result = await resultOf((await answerBy(mdoc)).asked);
      return result['status'] !== 'verified';
    });
    const failure = { check: 'status', reason: 'the credential has been revoked', status: 'revoked' };
    expect(result).toMatchObject({ status: 'rejected', failure });
  });

  it('gives a wallet with a refreshed token further copies of an mdoc', async () => {
    const { token, tokenFor, copyFor, credentialId } = await walletOf(licence.templateId, dataOf(licence));
    const root = await documentRoot(service.url);
    const first = await readMdoc(await copyFor(newHolder(), token), root);
    const refresh = { grant_type: 'refresh_token', refresh_token: String(token['refresh_token']), client_id: clientId };
    const holder = newHolder();
    const second = await readMdoc(await copyFor(holder, await tokenFor(refresh)), root);
    expect(second.deviceKey).toMatchObject(holder.jwk);
    expect(second.status).not.toEqual(first.status);
    expect(answered(200, await get(`${service.url}/v0/credentials/${credentialId}`))).toMatchObject({ copies: 2 });
  });

  it('takes a PID as an SD-JWT VC or as an mdoc where a request asks for one of them', async () => {
    const credentials = [
      { id: 'sd_jwt', format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims: [{ path: ['given_name'] }] },
      {
        id: 'mdoc',
        format: 'mso_mdoc',
        meta: { doctype_value: pid.doctype },
        claims: [{ path: [pidSpace, 'given_name'] }],
      },
    ];
    const credential_sets = [{ options: [['sd_jwt'], ['mdoc']] }];
    const { token, copyFor } = await walletOf(membership, {});
    const holder = newHolder();
    const sdJwt = await copyFor(holder, token);
    const mdoc = await held(pid, dataOf(pid));
    for (const [id, format] of [
      ['sd_jwt', 'dc+sd-jwt'],
      ['mdoc', 'mso_mdoc'],
    ] as const) {
      const dcql_query = { credentials, credential_sets };
      const asked = await askFor(dcql_query);
      const received = await receiveRequest(asked, 'haip');
      const presented =
        id === 'mdoc'
          ? await presentOwnMdoc(mdoc, received, [`${pidSpace}.given_name`])
          : presentSdJwt(sdJwt, holder, received, { reveal: ['given_name'] });
      const reply = await respond(received, { tokens: { [id]: presented } });
      expect(await resultFor(asked, reply)).toMatchObject({ status: 'verified', credentials: [{ id, format }] });
    }
  });
});

/** Sends once more with the nonce that the refusal brings. */
async function withNonce(sendWith: (nonce?: unknown) => Promise<Reply>): Promise<Reply> {
  const first = await sendWith();
  const nonce = first.headers.get('dpop-nonce');
  return first.status < 400 || nonce === null ? first : sendWith(nonce);
}

interface Asking {
  readonly holder: Holder;
  readonly key: DpopKey;
  readonly token: Json;
  readonly nonce: unknown;
}

async function credentialFor(issuer: string, id: string, { holder, key, token, nonce }: Asking): Promise<Reply> {
  const text = String(token['access_token']);
  const jwt = keyProof(holder, issuer, await nonceFrom(issuer), { claims: { iss: clientId } });
  const dpop = dpopProof(key, `${issuer}/credential`, text, { claims: { nonce } });
  const body = { credential_configuration_id: id, proofs: { jwt: [jwt] } };
  return postJson(`${issuer}/credential`, body, { authorization: `DPoP ${text}`, dpop });
}

describe('the life of an mdoc', () => {
  const service = serviceOfFile();
  beforeAll(() => publish(service.url, licence), 60_000);
  const at = (id: string) => `${service.url}/v0/credentials/${id}`;
  const view = async (id: string): Promise<Json> => answered(200, await get(at(id)));

  async function received(template = licence.templateId): Promise<HeldMdoc & { readonly id: string }> {
    const { link, credentialIds } = await prepareOffer(service.url, [template], {}, dataOf(licence));
    const holder = newHolder();
    const [credential = ''] = await receive(link, 'F', { holders: [holder] });
    return { credential, holder, doctype: licence.doctype, id: credentialIds[0] ?? '' };
  }

  it('ends for the service when its data are erased', async () => {
    const { link, credentialIds } = await prepareOffer(service.url, [licence.templateId], {}, dataOf(licence));
    const [id = ''] = credentialIds;
    const wallet = await openSession(link);
    answered(200, await requestCredential(wallet));
    expect((await send(`${at(id)}/personal_data`, { method: 'DELETE' })).status).toBe(204);
    expect(await view(id)).toMatchObject({ status: 'Issued', format: 'mso_mdoc', credential: null });
    expectRefusal(await requestCredential(wallet), 400, 'credential_request_denied');
  });

  it('is erased when the retention of its template has ended', async () => {
    await publish(service.url, { ...licence, templateId: 'brief', retention: 'PT0.1S' });
    const { id } = await received('brief');
    const { eraseAt } = await view(id);
    const wait = `select pg_sleep(greatest(0, extract(epoch from $1::text::timestamptz - clock_timestamp()) + 0.002))`;
    await service.app.get<SqlDriver>(SQL_DRIVER).query({ name: 'wait', text: wait, values: [eraseAt] });
    await service.app.get(Housekeeping).cleanUp();
    expect(await view(id)).toMatchObject({ credential: null, erasedAt: expect.any(String) as string });
  });

  it('is told to other verifiers by a status list as a CWT under the root of its signer', async () => {
    const [good, revoked] = [await received(), await received()];
    answered(204, await postJson(`${at(revoked.id)}/revoke`, {}));
    const root = await documentRoot(service.url);
    const verifier: RunningService = await startService({
      SERVICE__TRUST__ANCHORS: anchorsOf('issuer', root.toString(), 'document'),
      SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: new URL(service.url).host,
      SERVICE__VERIFICATION__UNDETERMINED_STATUS: 'reject',
    });
    try {
      for (const [mdoc, expected] of [
        [good, { status: 'verified', credentials: [{ status: 'valid', trustAnchor: { name: 'root' } }] }],
        [revoked, { status: 'rejected', failure: { check: 'status', reason: 'the credential has been revoked' } }],
      ] as const) {
        const asked = await ask(verifier.url, { dcql_query: { credentials: [licenceQuery] } });
        const received = await receiveRequest(asked);
        await respond(received, { tokens: { licence: await presentOwnMdoc(mdoc, received, shownOfLicence) } });
        expect(await resultOf(asked)).toMatchObject(expected);
      }
    } finally {
      await verifier.stop();
    }
  });

  it('names the country of the signer, or its data are refused', async () => {
    const { offerId } = await prepareOffer(service.url, []);
    const [data] = licence.schema.examples;
    const credentialSubject = { [space]: { ...(data[space] as Json), issuing_country: 'DE' } };
    const body = { offerId, credentialConfigurationId: licence.templateId, credential: { credentialSubject } };
    const reply = await postJson(`${service.url}/v0/credentials`, body);
    expect([reply.status, reply.json['violations']]).toEqual([
      400,
      [
        {
          pointer: `/credential/credentialSubject/${space}/issuing_country`,
          message: "must be the country (C) of the signer's certificate: UT",
        },
      ],
    ]);
  });

  it('does not begin without a document signer: the wallet is to try later, and nothing is recorded', async () => {
    const { link, credentialIds } = await prepareOffer(service.url, [licence.templateId], {}, dataOf(licence));
    const wallet = await openSession(link);
    const before = await view(credentialIds[0] ?? '');
    const { keyId } = service.app.get(ServiceIdentity).documentSigner('ES256');
    await service.app.get(CertificateKeys).revoke(keyId);
    expect((await requestCredential(wallet)).status).toBe(503);
    expect(await view(credentialIds[0] ?? '')).toEqual(before);
    const asked = await ask(service.url, { dcql_query: { credentials: [licenceQuery] } });
    expect(JSON.stringify(asked.answer['warnings'])).toContain("so no answer to 'licence' is accepted");
  });
});

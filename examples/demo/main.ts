import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readRoots, Wallet } from '../wallet';
import { byAuthorizationCode } from './authorization-code';
import { invite } from './invitation';
import { Portal, text } from './portal';
import { assertAccepted, receive } from './receiving';
import { type ServiceProcess, startServiceProcess } from './service-process';
import { Steps } from './steps';

const diploma = {
  templateId: 'diploma',
  title: 'Diploma',
  format: 'dc+sd-jwt',
  revocable: true,
  schema: {
    type: 'object',
    properties: {
      given_name: { type: 'string', title: 'Given name' },
      family_name: { type: 'string', title: 'Family name' },
      degree: { type: 'string', title: 'Degree' },
    },
    required: ['given_name', 'family_name', 'degree'],
    additionalProperties: false,
  },
  display: [{ name: 'Diploma', locale: 'en', background_color: '#12107c', text_color: '#ffffff' }],
};

async function quickStart(steps: Steps, portal: Portal, wallet: Wallet): Promise<void> {
  steps.headline('A W3C credential (jwt_vc_json), as in the quick start');
  const credential = await steps.run(
    'the portal submits the data',
    () =>
      portal.post('/v0/credentials', {
        offerId: '001',
        credentialConfigurationId: 'w3c_vc_credential',
        credential: { credentialSubject: { given_name: 'Ada', family_name: 'Example', member: true } },
        expiresAt: 'never',
      }),
    (answer) => `credential ${text(answer, 'credentialId')}`,
  );
  const link = text(credential, 'credentialOffer');
  process.stdout.write(`\n  ${link}\n\n`);
  await receive(steps, wallet, link);
  await assertAccepted(steps, portal, text(credential, 'credentialId'));
}

/** @returns the id of the credential and its type */
async function withTransactionCode(steps: Steps, portal: Portal, wallet: Wallet): Promise<Issued> {
  steps.headline('An SD-JWT VC (dc+sd-jwt) from a template, with a transaction code');
  await steps.run('the portal creates a template', () => portal.post('/v0/templates', diploma));
  const template = await steps.run('the portal publishes it', () => portal.post('/v0/templates/diploma/publish', {}));
  const offer = await steps.run('the portal opens an offer with a code', () =>
    portal.post('/v0/offers', { offerId: '002', templateIds: ['diploma'], txCode: true }),
  );
  const credential = await steps.run('the portal submits the data', () =>
    portal.post('/v0/credentials', {
      offerId: '002',
      templateId: 'diploma',
      credential: { credentialSubject: { given_name: 'Ada', family_name: 'Example', degree: 'MSc Mathematics' } },
    }),
  );
  await receive(steps, wallet, text(offer, 'credentialOffer'), { txCode: text(offer, 'txCode') });
  await assertAccepted(steps, portal, text(credential, 'credentialId'));
  return { credentialId: text(credential, 'credentialId'), vct: text(template, 'vct') };
}

interface Issued {
  readonly credentialId: string;
  readonly vct: string;
}

function degreeOnly(vct: string): object {
  const meta = { vct_values: [vct] };
  return { credentials: [{ id: 'diploma', format: 'dc+sd-jwt', meta, claims: [{ path: ['degree'] }] }] };
}

const membership = {
  credentials: [
    {
      id: 'membership',
      format: 'jwt_vc_json',
      meta: { type_values: [['VerifiableCredential']] },
      claims: [{ path: ['credentialSubject', 'member'], values: [true] }],
    },
  ],
};

interface Question {
  readonly state: string;
  readonly variant: string;
  readonly query: object;
  readonly responseMode?: 'direct_post.jwt';
}

async function present(steps: Steps, portal: Portal, wallet: Wallet, question: Question): Promise<void> {
  const { state, variant, query, responseMode = 'direct_post' } = question;
  const asked = await steps.run('the relying party asks', () =>
    portal.post('/v0/authorization_requests', { state, dcql_query: query, responseMode }),
  );
  const variants = asked['variants'] as Record<string, unknown>;
  const link = text(variants, variant);
  const presented = await steps.run('the wallet presents', () => wallet.present(link));
  for (const { title, disclosed } of presented.credentials) {
    process.stdout.write(`      ${title}: discloses ${disclosed.join(', ') || 'all of it'}\n`);
  }
  await steps.run(
    'the relying party reads the result',
    async () => {
      const result = await portal.get(`/v0/authorization_requests/${state}`);
      if (result['status'] !== 'verified' || result['vp_token'] === null) {
        throw new Error(`the status is ${text(result, 'status')}: ${JSON.stringify(result['failure'])}`);
      }
      return result['credentials'] as { readonly claims: unknown }[];
    },
    (credentials) => `verified, ${credentials.length} credential(s)`,
  );
}

/** A change of a status is in the lists of all replicas within two seconds. */
const untilListed = 2_000;

async function revoke(steps: Steps, portal: Portal, wallet: Wallet, { credentialId, vct }: Issued): Promise<void> {
  await steps.run('the portal revokes it', () => portal.post(`/v0/credentials/${credentialId}/revoke`, {}));
  await delay(untilListed);
  const asked = await steps.run('the relying party asks again', () =>
    portal.post('/v0/authorization_requests', { state: 'revoked', dcql_query: degreeOnly(vct) }),
  );
  const link = text(asked['variants'] as Record<string, unknown>, '1.0');
  await steps.run('the wallet presents it in vain', async () => {
    const presented = await wallet.present(link).catch((error: unknown) => error);
    if (!(presented instanceof Error)) throw new Error('the presentation was accepted');
  });
  await steps.run(
    'the relying party reads why',
    async () => {
      const { failure } = (await portal.get('/v0/authorization_requests/revoked')) as {
        failure: { readonly status?: string; readonly reason: string } | null;
      };
      if (failure?.status !== 'revoked') throw new Error(`the failure is ${JSON.stringify(failure)}`);
      return failure.reason;
    },
    (reason) => reason,
  );
}

/** Afterwards neither the claims nor what was presented can be read. */
async function erase(steps: Steps, portal: Portal, { credentialId, state }: Record<'credentialId' | 'state', string>) {
  const credential = `/v0/credentials/${credentialId}`;
  const request = `/v0/authorization_requests/${state}`;
  await steps.run('the portal erases the data of the diploma', () => portal.delete(`${credential}/personal_data`));
  await steps.run('the relying party erases what was presented', () => portal.delete(`${request}/personal_data`));
  await steps.run(
    'neither can be read any more',
    async () => {
      const [erased, forgotten] = [await portal.get(credential), await portal.get(request)];
      if (erased['credential'] !== null) throw new Error('the claims are still there');
      if (forgotten['vp_token'] !== null) throw new Error('what was presented is still there');
      return [erased, forgotten].map((one) => text(one, 'status'));
    },
    ([issued, asked]) => `the statuses stay: ${String(issued)}, ${String(asked)}`,
  );
}

/**
 * What European wallets want (HAIP 1.0): the request is signed by a certificate, the answer encrypted. The service has made
 * the root behind its certificate itself; whoever trusts it believes the request.
 */
async function presentByCertificate(steps: Steps, portal: Portal, service: ServiceProcess, vct: string): Promise<void> {
  const roots = await steps.run('the wallet is given the root of the service', () =>
    readRoots([`${service.url}/certificates/development-root.pem`]),
  );
  const wallet = walletOf(steps, service, roots);
  const diploma = await steps.run('the portal issues another diploma', () =>
    portal.post('/v0/credentials', {
      offerId: '003',
      templateId: 'diploma',
      credential: { credentialSubject: { given_name: 'Ada', family_name: 'Example', degree: 'MSc Physics' } },
    }),
  );
  await receive(steps, wallet, text(diploma, 'credentialOffer'));
  await present(steps, portal, wallet, {
    ...{ state: 'certified', variant: 'haip', query: degreeOnly(vct) },
    responseMode: 'direct_post.jwt',
  });
}

function walletOf(steps: Steps, { directory }: ServiceProcess, roots: Awaited<ReturnType<typeof readRoots>> = []) {
  return new Wallet({
    file: join(directory, 'wallet.json'),
    roots,
    onStep: (name, detail) => {
      steps.lap(`  wallet: ${name}`, detail);
    },
  });
}

/** @param stays whether the service stays up afterwards, to be tried */
async function demo(stays: boolean): Promise<boolean> {
  const steps = new Steps();
  const started = performance.now();
  let service: ServiceProcess | undefined;
  try {
    steps.headline('Sealwright');
    service = await steps.run(
      'start on a fresh embedded store',
      () => startServiceProcess(stays ? 'network' : 'this machine'),
      ({ url }) => url,
    );
    const portal = new Portal(service.url);
    const wallet = walletOf(steps, service);
    await quickStart(steps, portal, wallet);
    const issued = await withTransactionCode(steps, portal, wallet);
    steps.headline('A presentation to an OpenID4VP 1.0 request: the degree and nothing else of the diploma');
    await present(steps, portal, wallet, { state: 'degree', variant: '1.0', query: degreeOnly(issued.vct) });
    steps.headline('A presentation of a W3C credential: the membership');
    await present(steps, portal, wallet, { state: 'membership', variant: '1.0', query: membership });
    steps.headline('The diploma is revoked');
    await revoke(steps, portal, wallet, issued);
    steps.headline('The person asks to be forgotten');
    await erase(steps, portal, { credentialId: issued.credentialId, state: 'degree' });
    steps.headline('A HAIP presentation: a request signed by a certificate, an encrypted answer');
    await presentByCertificate(steps, portal, service, issued.vct);
    steps.headline('An SD-JWT VC by authorization code: pushed, agreed to on a page, bound to a key, sent encrypted');
    await byAuthorizationCode(steps, portal, wallet);
    reportEnd(steps, started);
    if (stays) {
      await invite(portal, service.url);
      await Promise.race((['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => once(process, signal)));
    }
  } catch (error) {
    // A step has printed it; anything else is a fault of the demo itself.
    if (!steps.failed) throw error;
    reportEnd(steps, started);
  } finally {
    await service?.stop();
  }
  return !steps.failed;
}

function reportEnd(steps: Steps, started: number): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  steps.headline(steps.failed ? `Something failed after ${seconds} s.` : `Everything passed in ${seconds} s.`);
}

void demo(process.argv.includes('--stay')).then(
  (passed) => {
    process.exitCode = passed ? 0 : 1;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  },
);

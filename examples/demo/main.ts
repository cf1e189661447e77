import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import licence from '../templates/mobile-driving-licence.json';
import { type Browser, card, readRoots, Wallet } from '../wallet';
import { invite } from './invitation';
import { agreeing } from './person';
import { Portal, text } from './portal';
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

const membership = {
  id: 'membership',
  format: 'jwt_vc_json',
  meta: { type_values: [['VerifiableCredential']] },
  claims: [{ path: ['credentialSubject', 'member'], values: [true] }],
};

const ofAge = {
  id: 'licence',
  format: licence.format,
  meta: { doctype_value: licence.doctype },
  claims: [{ path: ['org.iso.18013.5.1', 'age_over_18'], intent_to_retain: false }],
};

/** A change of a status is in the lists of all replicas within two seconds. */
const untilListed = 2_000;

/** What portals, wallets and relying parties do with a service, each step printed. */
class Demo {
  private readonly portal: Portal;
  private wallet: Wallet;
  private vct = '';

  constructor(
    private readonly steps: Steps,
    private readonly service: ServiceProcess,
  ) {
    this.portal = new Portal(service.url);
    this.wallet = this.walletTrusting([]);
  }

  async run(): Promise<void> {
    this.steps.headline('A W3C credential (jwt_vc_json), as in the quick start');
    await this.quickStart();
    this.steps.headline('An SD-JWT VC (dc+sd-jwt) from a template, with a transaction code');
    const credentialId = await this.withTransactionCode();
    this.steps.headline('A presentation to an OpenID4VP 1.0 request: the degree and nothing else of the diploma');
    await this.present('degree', this.degree);
    this.steps.headline('A presentation of a W3C credential: the membership');
    await this.present('membership', membership);
    this.steps.headline('The diploma is revoked');
    await this.revoke(credentialId);
    this.steps.headline('The person asks to be forgotten');
    await this.erase(`/v0/credentials/${credentialId}`, '/v0/authorization_requests/degree');
    this.steps.headline('A HAIP presentation: a request signed by a certificate, an encrypted answer');
    await this.presentByCertificate();
    this.steps.headline(
      'An SD-JWT VC by authorization code: pushed, agreed to on a page, bound to a key, sent encrypted',
    );
    await this.byAuthorizationCode();
    this.steps.headline('A driving licence (mso_mdoc): issued, and presented with the age and nothing else');
    await this.drivingLicence();
  }

  invite(): Promise<void> {
    return invite(this.portal, this.service.url);
  }

  private async quickStart(): Promise<void> {
    const credentialSubject = { given_name: 'Ada', family_name: 'Example', member: true };
    const content = { credentialConfigurationId: 'w3c_vc_credential', credential: { credentialSubject } };
    const credential = await this.steps.run('the portal submits the data', async (say) => {
      const answer = await this.portal.post('/v0/credentials', { offerId: '001', ...content, expiresAt: 'never' });
      say(`credential ${text(answer, 'credentialId')}`);
      return answer;
    });
    const link = text(credential, 'credentialOffer');
    process.stdout.write(`\n  ${link}\n\n`);
    await this.receive(link);
    await this.readsAccepted(text(credential, 'credentialId'));
  }

  /** @returns the id of the credential */
  private async withTransactionCode(): Promise<string> {
    const { portal, steps } = this;
    await steps.run('the portal creates a template', () => portal.post('/v0/templates', diploma));
    const template = await steps.run('the portal publishes it', () => portal.post('/v0/templates/diploma/publish', {}));
    this.vct = text(template, 'vct');
    const offer = await steps.run('the portal opens an offer with a code', () =>
      portal.post('/v0/offers', { offerId: '002', templateIds: ['diploma'], txCode: true }),
    );
    const credential = await this.submitDiploma('002', 'MSc Mathematics');
    await this.receive(text(offer, 'credentialOffer'), { txCode: text(offer, 'txCode') });
    await this.readsAccepted(text(credential, 'credentialId'));
    return text(credential, 'credentialId');
  }

  private async present(state: string, query: object, variant = '1.0', responseMode = 'direct_post'): Promise<void> {
    const { steps, wallet } = this;
    const link = await this.ask('the relying party asks', variant, {
      state,
      dcql_query: { credentials: [query] },
      responseMode,
    });
    const presented = await steps.run('the wallet presents', () => wallet.present(link));
    for (const { title, disclosed } of presented.credentials) {
      process.stdout.write(`      ${title}: discloses ${disclosed.join(', ') || 'all of it'}\n`);
    }
    await steps.run('the relying party reads the result', async (say) => {
      const { status, failure, credentials, ...result } = await this.portal.get(`/v0/authorization_requests/${state}`);
      if (status !== 'verified' || result['vp_token'] === null) {
        throw new Error(`the status is ${String(status)}: ${JSON.stringify(failure)}`);
      }
      say(`verified, ${(credentials as unknown[]).length} credential(s)`);
    });
  }

  private async revoke(credentialId: string): Promise<void> {
    const { portal, steps, wallet } = this;
    await steps.run('the portal revokes it', () => portal.post(`/v0/credentials/${credentialId}/revoke`, {}));
    await delay(untilListed);
    const body = { state: 'revoked', dcql_query: { credentials: [this.degree] } };
    const link = await this.ask('the relying party asks again', '1.0', body);
    await steps.run('the wallet presents it in vain', async () => {
      const presented = await wallet.present(link).catch((error: unknown) => error);
      if (!(presented instanceof Error)) throw new Error('the presentation was accepted');
    });
    await steps.run('the relying party reads why', async (say) => {
      const result = await portal.get('/v0/authorization_requests/revoked');
      const failure = result['failure'] as { readonly status?: string; readonly reason: string } | null;
      if (failure?.status !== 'revoked') throw new Error(`the failure is ${JSON.stringify(failure)}`);
      say(failure.reason);
    });
  }

  /** Afterwards neither the claims nor what was presented can be read. */
  private async erase(credential: string, request: string): Promise<void> {
    const { portal, steps } = this;
    await steps.run('the portal erases the data of the diploma', () => portal.delete(`${credential}/personal_data`));
    await steps.run('the relying party erases what was presented', () => portal.delete(`${request}/personal_data`));
    await steps.run('neither can be read any more', async (say) => {
      const [erased, forgotten] = [await portal.get(credential), await portal.get(request)];
      if (erased['credential'] !== null) throw new Error('the claims are still there');
      if (forgotten['vp_token'] !== null) throw new Error('what was presented is still there');
      say(`the statuses stay: ${text(erased, 'status')}, ${text(forgotten, 'status')}`);
    });
  }

  /**
   * What European wallets want (HAIP 1.0): the request is signed by a certificate, the answer encrypted. The service has made
   * the root behind its certificate itself; whoever trusts it believes the request.
   */
  private async presentByCertificate(): Promise<void> {
    const root = `${this.service.url}/certificates/development-root.pem`;
    const roots = await this.steps.run('the wallet is given the root of the service', () => readRoots([root]));
    this.wallet = this.walletTrusting(roots);
    const issued = await this.submitDiploma('003', 'MSc Physics', 'the portal issues another diploma');
    await this.receive(text(issued, 'credentialOffer'));
    await this.present('certified', this.degree, 'haip', 'direct_post.jwt');
  }

  /**
   * What European wallets want when a credential is issued (HAIP 1.0): the wallet pushes what it asks for, the person logs in and
   * agrees on a page, the token is bound to a key of the wallet, and the credential is sent encrypted.
   */
  private async byAuthorizationCode(): Promise<void> {
    const { portal, steps } = this;
    const grants = { grants: ['authorization_code'], identification: 'development' };
    const offer = await steps.run('the portal opens an offer to one who logs in', () =>
      portal.post('/v0/offers', { offerId: '004', templateIds: ['diploma'], ...grants }),
    );
    const credential = await this.submitDiploma('004', 'MSc Astronomy');
    const browser = agreeing('ada.example', (name, detail) => {
      steps.lap(`  person: ${name}`, detail);
    });
    await this.receive(text(offer, 'credentialOffer'), { browser });
    await this.readsAccepted(text(credential, 'credentialId'));
    await steps.run('the portal reads how it was authorized', async (say) => {
      const { items } = (await portal.get('/v0/authorizations?offerId=004')) as { items: Record<string, unknown>[] };
      const [authorization = {}] = items;
      if (authorization['status'] !== 'redeemed') throw new Error(`the status is ${String(authorization['status'])}`);
      const { timeline } = await portal.get(`/v0/authorizations/${text(authorization, 'authorizationId')}`);
      say((timeline as { step: string }[]).map(({ step }) => step).join(', '));
    });
  }

  private async drivingLicence(): Promise<void> {
    const { portal, service, steps } = this;
    const root = `${service.url}/certificates/development-iaca.pem`;
    const roots = await steps.run('the wallet is given the root of the issuer', () => readRoots([root]));
    this.wallet = this.walletTrusting([...this.wallet.roots, ...roots]);
    await steps.run('the portal creates and publishes a template', async () => {
      await portal.post('/v0/templates', { ...licence, status: 'Published' });
    });
    const { templateId, schema } = licence;
    const content = { templateId, credential: { credentialSubject: schema.examples[0] } };
    const issued = await steps.run('the portal submits the data', () =>
      portal.post('/v0/credentials', { offerId: '005', ...content }),
    );
    await this.receive(text(issued, 'credentialOffer'));
    await this.present('of-age', ofAge, 'haip', 'direct_post.jwt');
  }

  private submitDiploma(offerId: string, degree: string, step = 'the portal submits the data') {
    const credentialSubject = { given_name: 'Ada', family_name: 'Example', degree };
    const body = { offerId, templateId: 'diploma', credential: { credentialSubject } };
    return this.steps.run(step, () => this.portal.post('/v0/credentials', body));
  }

  /** @returns the link of the request for this generation of wallets */
  private async ask(step: string, variant: string, body: object): Promise<string> {
    const asked = await this.steps.run(step, () => this.portal.post('/v0/authorization_requests', body));
    return text(asked['variants'] as Record<string, unknown>, variant);
  }

  /** The wallet's own steps are printed as they happen; it verifies each credential against the published keys. */
  private async receive(
    link: string,
    options: { readonly txCode?: string; readonly browser?: Browser } = {},
  ): Promise<void> {
    const receiving = () => this.wallet.receive(link, options);
    const received = await this.steps.run('the wallet has received and verified it', receiving);
    for (const credential of received) process.stdout.write(`\n${card(credential)}\n\n`);
  }

  private async readsAccepted(credentialId: string): Promise<void> {
    await this.steps.run('the portal reads that it was accepted', async () => {
      const status = text(await this.portal.get(`/v0/credentials/${credentialId}`), 'status');
      if (status !== 'Accepted') throw new Error(`the status is ${status}`);
    });
  }

  private get degree(): object {
    return { id: 'diploma', format: 'dc+sd-jwt', meta: { vct_values: [this.vct] }, claims: [{ path: ['degree'] }] };
  }

  private walletTrusting(roots: Awaited<ReturnType<typeof readRoots>>): Wallet {
    const onStep = (name: string, detail: string) => {
      this.steps.lap(`  wallet: ${name}`, detail);
    };
    return new Wallet({ file: join(this.service.directory, 'wallet.json'), roots, onStep });
  }
}

/** @param stays whether the service stays up afterwards, to be tried */
async function main(stays: boolean): Promise<boolean> {
  const steps = new Steps();
  const started = performance.now();
  const reportEnd = () => {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    steps.headline(steps.failed ? `Something failed after ${seconds} s.` : `Everything passed in ${seconds} s.`);
  };
  let service: ServiceProcess | undefined;
  try {
    steps.headline('Sealwright');
    service = await steps.run('start on a fresh embedded store', async (say) => {
      const started = await startServiceProcess(stays ? 'network' : 'this machine');
      say(started.url);
      return started;
    });
    const demo = new Demo(steps, service);
    await demo.run();
    reportEnd();
    if (stays) {
      await demo.invite();
      await Promise.race((['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => once(process, signal)));
    }
  } catch (error) {
    // A step has printed it; anything else is a fault of the demo itself.
    if (!steps.failed) throw error;
    reportEnd();
  } finally {
    await service?.stop();
  }
  return !steps.failed;
}

main(process.argv.includes('--stay')).then(
  (passed) => {
    process.exitCode = passed ? 0 : 1;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  },
);

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wallet } from '../../../examples/wallet';
import { type MailRelay, startMailRelay } from '../counterparts/mail-relay';
import { OrganisationProvider } from '../counterparts/organisation-provider';
import { startWebhookReceiver, type WebhookReceiver } from '../counterparts/webhook-receiver';
import { ConsoleBrowser } from '../http/console-browser';
import { answered, type Json, send } from '../http/requests';
import { type RunningService, startService } from '../service/service';
import { authorizedSession } from '../wallets/authorized';
import { requestCredential } from '../wallets/wallet';

/** Where a person who works with the console finds the one of each kind that most has happened to. */
interface Filled {
  readonly credentialId: string;
  readonly importId: string;
  readonly authorizationId: string;
  readonly state: string;
  readonly approvalId: string;
  readonly webhookId: string;
}

/** An office with its provider, mail relay, receiver of events, and a wallet, in which people work with the console. */
export class Office {
  private constructor(
    readonly service: RunningService,
    readonly provider: OrganisationProvider,
    readonly relay: MailRelay,
    readonly receiver: WebhookReceiver,
    readonly wallet: Wallet,
    private readonly folder: string,
  ) {}

  static async open(): Promise<Office> {
    const provider = await OrganisationProvider.start({ consoleUrls: () => [service.url] });
    provider.people.set('ada', { name: 'Ada Admin', groups: ['administrator'] });
    provider.people.set('rita', { name: 'Rita Registrar', groups: ['clerk'] });
    const relay = await startMailRelay();
    const receiver = await startWebhookReceiver();
    const folder = await mkdtemp(join(tmpdir(), 'sealwright-office-'));
    const service = await startService({
      ...provider.settings,
      SERVICE__OUTBOUND__ALLOW_PRIVATE_HOSTS: `${provider.host},${receiver.host}`,
      SERVICE__MANAGEMENT__API_KEYS: 'a-key-that-nobody-here-uses-but-must-be-set',
      SERVICE__MAIL__HOST: '127.0.0.1',
      SERVICE__MAIL__PORT: String(relay.port),
      SERVICE__MAIL__SECURITY: 'none',
      SERVICE__MAIL__FROM: 'credentials@university.example',
    });
    const wallet = new Wallet({ file: join(folder, 'wallet.json') });
    return new Office(service, provider, relay, receiver, wallet, folder);
  }

  async close(): Promise<void> {
    await this.service.stop();
    await Promise.all([this.relay.stop(), this.receiver.stop(), this.provider.stop()]);
    await rm(this.folder, { recursive: true });
  }

  /** The console of somebody, without its pages. */
  consoleOf(person: string): Promise<ConsoleBrowser> {
    return ConsoleBrowser.of(person, this.provider, this.service.url);
  }

  /** A day of work. */
  async fill(): Promise<Filled> {
    const ada = await this.consoleOf('ada');
    const rita = await this.consoleOf('rita');
    const asked = async (status: number, path: string, body: object, by = ada): Promise<Json> =>
      answered(status, await by.call('POST', `/v0/${path}`, body));
    await asked(201, 'templates', diploma);
    await asked(201, 'templates', { ...diploma, ...card });
    const { webhookId } = await asked(201, 'webhooks', {
      url: this.receiver.url,
      description: 'Student portal',
      types: ['credential.accepted', 'credential.refused', 'offer.redeemed'],
    });
    this.receiver.answerBy(({ event }, response) => {
      response.writeHead(event['type'] === 'offer.redeemed' ? 204 : 503).end();
    });
    await asked(200, 'api_keys', { name: 'Student portal', scopes: ['offers:read', 'offers:write'] });

    await asked(201, 'tenants', { tenantId: 'music', displayName: 'Music school', limits: { offersPerMinute: 100 } });

    const erika = await this.issued(ada, 'erika', { given_name: 'Erika', family_name: 'Mustermann' });
    await this.wallet.receive(erika.link);
    await this.issued(ada, 'max', { given_name: 'Max', family_name: 'Mustermann' });
    await asked(201, 'offers', { offerId: 'waits', templateIds: ['student-card'], deferred: true }, rita);
    const { approvalId } = await asked(
      202,
      `credentials/${erika.credentialId}/revoke`,
      { reason: 'It was issued by mistake' },
      rita,
    );

    const person = { source: 'development', claims: { given_name: 'Erika', family_name: 'Mustermann' } } as const;
    const session = await authorizedSession(this.service, ['student-card'], person);
    answered(200, await requestCredential(session));
    return {
      credentialId: erika.credentialId,
      importId: await this.imported(rita),
      authorizationId: session.authorizationId,
      state: await this.presented(ada),
      approvalId: String(approvalId),
      webhookId: String(webhookId),
    };
  }

  private async issued(
    by: ConsoleBrowser,
    offerId: string,
    claims: Json,
  ): Promise<{ readonly link: string; readonly credentialId: string }> {
    const recipient = { name: `${String(claims['given_name'])} Mustermann`, email: `${offerId}@people.example` };
    const credential = { credentialSubject: { ...claims, degree: 'Master of Science', awarded: '2026-07-31' } };
    const body = { offerId, templateId: 'diploma', credential, recipient, reference: `2026/${offerId}` };
    const { credentialId } = answered(201, await by.call('POST', '/v0/credentials', body));
    const shown = answered(200, await by.call('GET', `/v0/offers/${offerId}`));
    return { link: String(shown['credentialOffer']), credentialId: String(credentialId) };
  }

  private async imported(by: ConsoleBrowser): Promise<string> {
    const upload = await send(`${this.service.url}/v0/imports?templateId=diploma`, {
      method: 'POST',
      headers: { cookie: by.cookie, 'x-console': '1', 'sec-fetch-site': 'same-origin', 'content-type': 'text/csv' },
      body: Buffer.from(graduates),
    });
    return String(answered(202, upload)['importId']);
  }

  private async presented(by: ConsoleBrowser): Promise<string> {
    const query = {
      id: 'diploma',
      format: 'dc+sd-jwt',
      meta: { vct_values: [diploma.vct] },
      claims: [{ path: ['given_name'] }, { path: ['degree'] }],
    };
    const made = await by.call('POST', '/v0/authorization_requests', {
      dcql_query: { credentials: [query] },
      purpose: 'To register you for a doctorate.',
    });
    const { state, authorizationRequest } = answered(201, made);
    await this.wallet.present(String(authorizationRequest));
    return String(state);
  }
}

const text = (title: string) => ({ type: 'string', title });

const diploma = {
  templateId: 'diploma',
  title: 'Diploma',
  format: 'dc+sd-jwt',
  vct: 'https://credentials.example/diploma',
  status: 'Published',
  revocable: true,
  fourEyes: { revoke: true },
  schema: {
    type: 'object',
    properties: {
      given_name: text('Given name'),
      family_name: text('Family name'),
      degree: { ...text('Degree'), enum: ['Bachelor of Science', 'Master of Science'] },
      awarded: { ...text('Awarded on'), format: 'date' },
    },
    required: ['given_name', 'family_name', 'degree', 'awarded'],
  },
};
const card = {
  templateId: 'student-card',
  title: 'Student card',
  vct: 'https://credentials.example/student-card',
  fourEyes: undefined,
  expiration: 'P1Y',
  schema: {
    type: 'object',
    properties: { given_name: text('Given name'), family_name: text('Family name') },
    required: ['given_name', 'family_name'],
  },
};

export const graduates = [
  'Given name,Family name,Degree,Awarded on,Reference',
  'Anna,Beispiel,Master of Science,2026-07-31,2026/101',
  'Otto,Beispiel,Magister,2026-07-31,2026/102',
  'Lea,Beispiel,Bachelor of Science,31.7.26,2026/103',
  '',
].join('\n');

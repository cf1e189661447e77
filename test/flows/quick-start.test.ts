import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answered, get, postJson, send } from '../support/http/requests';
import { serviceOfFile } from '../support/service/service-of-file';
import { openSession, readOffer, receive, redeem, requestCredential } from '../support/wallets/wallet';
import { contentOf, readJwt } from '../support/wallets/credentials';

const service = serviceOfFile();

const pages = ['README.md', 'docs/issuing.md'].map((page) => readFileSync(join(__dirname, '../..', page), 'utf8'));

interface Shown {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  /** What a request before it makes `$CREDENTIAL_ID` of its answer. */
  readonly read?: { readonly path: string; readonly script: string } | undefined;
}

/** Every request that the pages show, in their order: `curl` commands, and bodies behind a method and a path. */
function* requestsShown(): Generator<Shown> {
  const before = /CREDENTIAL_ID=\$\(curl -s '([^']+)' \\\n {2}\| node -p '([^']+)'\)\n/.source;
  const named = /`(POST|DELETE) (\/v0\/[^\s{]+) (\{.*?\})`/.source;
  const shown = new RegExp(`\`\`\`\n(?:${before})?curl ([^]*?)\n\`\`\`|${named}|(\`curl '[^']+'\`)`, 'g');
  for (const [, from, script = '', block, method, namedPath, namedBody, inline] of pages.join('\n').matchAll(shown)) {
    const command = block ?? inline ?? '';
    const body = namedBody ?? /-d '([^]*?)'/.exec(command)?.[1];
    yield {
      path: namedPath ?? pathIn(command),
      method: method ?? /-X (\w+)/.exec(command)?.[1] ?? (body === undefined ? 'GET' : 'POST'),
      body,
      read: from === undefined ? undefined : { path: pathIn(from), script },
    };
  }
}

function pathIn(command: string): string {
  return /localhost:3033(\/[^\s'`]*)/.exec(command)?.[1] ?? '';
}

describe('the README and the page about issuing', () => {
  it('show requests that all succeed, one after the other, without a warning', async () => {
    const sent: string[] = [];
    let last = '';
    let credentialId = '';
    for (const { method, path, body, read } of requestsShown()) {
      if (read) {
        const input = (await get(service.url + read.path)).text;
        credentialId = execFileSync(process.execPath, ['-p', read.script], { input, encoding: 'utf8' }).trim();
        expect(credentialId).toBe(last);
      }
      const url = service.url + path.replace('$CREDENTIAL_ID', credentialId);
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const answer = await send(url, { method, headers, ...(body !== undefined && { body: Buffer.from(body) }) });
      if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      expect(answer.json['warnings'] ?? []).toEqual([]);
      sent.push(`${method} ${path}`);
      if (path !== '/v0/credentials') continue;
      last = String(answer.json['credentialId']);
      await receive(String(answer.json['credentialOffer']));
    }
    expect(sent.length).toBeGreaterThan(8);
    expect(answered(200, await get(`${service.url}/v0/credentials/${last}`))).toMatchObject({ validity: 'Revoked' });
  });

  it.each([
    {
      page: 'wallets-and-people.md',
      command: /^curl http:\/\/localhost:3033(\S+) -H '[^']*' \\\n +-d '([^']*)'/gm,
      paths: ['/v0/offers', '/v0/credentials', '/v0/offers'],
    },
    {
      page: 'presentations.md',
      command: /^curl localhost:3033(\/v0\/authorization_requests) -H '[^']*' -d '([^']*)'$/gm,
      paths: Array<string>(4).fill('/v0/authorization_requests'),
    },
  ])('lead to those that $page shows', async ({ page, command, paths }) => {
    const text = readFileSync(join(__dirname, '../../docs', page), 'utf8');
    const shown = [...text.matchAll(command)];
    expect(shown.map(([, path]) => path)).toEqual(paths);
    for (const [, path = '', body = ''] of shown) {
      const answer = answered(201, await postJson(service.url + path, JSON.parse(body)));
      expect(answer['warnings'] ?? []).toEqual([]);
    }
  });
});

describe('the quick start', () => {
  it('prepares a credential, shows the offer and issues the credential to a wallet', async () => {
    const prepared = await postJson(`${service.url}/v0/credentials`, {
      offerId: '011',
      credentialConfigurationId: 'w3c_vc_credential',
      credential: { credentialSubject: { first_name: 'Ferris', last_name: 'Crabman' } },
      expiresAt: 'never',
    });
    expect(prepared.status).toBe(201);
    expect(prepared.json).toMatchObject({ offerId: '011', status: 'Prepared', expiresAt: 'never' });
    expect(prepared.text).not.toContain('Ferris');
    const address = prepared.headers.get('location') ?? '';
    answered(200, await get(service.url + address));

    const link = String(prepared.json['credentialOffer']);
    expect(link).toMatch(/^openid-credential-offer:\/\/\?credential_offer_uri=http/);
    expect(await readOffer(link)).toMatchObject({ configurationIds: ['w3c_vc_credential'], txCode: undefined });

    const session = await openSession(link);
    const answer = answered(200, await requestCredential(session));
    const [{ credential }] = answer['credentials'] as [{ credential: string }];
    expect(contentOf(credential).claims).toMatchObject({ first_name: 'Ferris', last_name: 'Crabman' });
    expect(readJwt(credential).payload).not.toHaveProperty('exp');
    expect(answered(200, await get(service.url + address))['status']).toBe('Issued');
    expect(answered(200, await get(`${service.url}/v0/offers/011`))['state']).toBe('Redeemed');
  });

  it('sets a transaction code and another lifetime after the credential was submitted', async () => {
    const prepared = {
      offerId: '013',
      credentialConfigurationId: 'w3c_vc_credential',
      credential: { credentialSubject: { first_name: 'Ferris' } },
    };
    answered(201, await postJson(`${service.url}/v0/credentials`, prepared));
    const options = { offerId: '013', txCode: { length: 8 }, expiresIn: 'P90D' };
    const first = answered(200, await postJson(`${service.url}/v0/offers`, options));
    expect(Date.parse(String(first['expiresAt'])) - Date.now()).toBeGreaterThan(89 * 24 * 3_600_000);
    // A lost code can be replaced, as long as no wallet has fetched the offer.
    const second = answered(200, await postJson(`${service.url}/v0/offers`, { offerId: '013', txCode: true }));
    expect(second).toMatchObject({ expiresAt: first['expiresAt'], credentialOffer: first['credentialOffer'] });
    expect(answered(200, await get(`${service.url}/v0/offers/013`))).toMatchObject({ txCodeRequired: true });

    const offer = await readOffer(String(second['credentialOffer']));
    expect(offer.txCode).toEqual({ input_mode: 'numeric', length: 6 });
    expect((await redeem(offer, { tx_code: String(first['txCode']) })).json['error']).toBe('invalid_grant');
    for (const option of [{ txCode: true }, { expiresIn: 'PT1H' }]) {
      const refused = await postJson(`${service.url}/v0/offers`, { offerId: '013', ...option });
      expect(refused.json).toMatchObject({ status: 409, title: 'Conflict' });
      expect(refused.json['detail']).toContain('A wallet has fetched the offer 013');
    }
    answered(200, await redeem(offer, { tx_code: String(second['txCode']) }));
    const { timeline } = answered(200, await get(`${service.url}/v0/offers/013`));
    const steps = (timeline as { step: string }[]).map(({ step }) => step);
    // The refusal is explained beside the attempt: when it is recorded is its own affair.
    expect(steps.filter((step) => step !== 'wallet refused')).toEqual([
      ...['created', 'options set', 'options set', 'fetched', 'redeemed', 'redeemed'],
    ]);
    for (const { txCode } of [first, second]) expect(JSON.stringify(timeline)).not.toContain(txCode);
  });

  it('returns the same offer as bare link and as pictures', async () => {
    const ask = (accept: string) => postJson(`${service.url}/v0/offers`, { offerId: '012' }, { accept });
    expect((await ask('application/json')).status).toBe(201);
    const link = await ask('text/plain');
    expect(link.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(link.text).toMatch(/^openid-credential-offer:\/\/\?credential_offer_uri=/);
    expect((await ask('image/svg+xml')).text).toContain('<svg');
    const png = await fetch(`${service.url}/v0/offers/012/qr.png`);
    expect(
      Buffer.from(await png.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    const page = await fetch(`${service.url}/v0/offers/012/page`);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await page.text()).toContain('Your credential is being prepared');
  });
});

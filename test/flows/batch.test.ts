import { randomUUID } from 'node:crypto';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { type RunningService, startService } from '../support/service/service';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const item = (changes: Json = {}): Json => ({
  offerId: randomUUID(),
  credentialConfigurationId: 'w3c_vc_credential',
  credential: { credentialSubject: { given_name: 'Ada' } },
  ...changes,
});

const send = (credentials: unknown) => postJson(`${service.url}/v0/credentials/batch`, { credentials });

async function results(credentials: readonly unknown[]): Promise<Json[]> {
  return answered(200, await send(credentials))['items'] as Json[];
}

describe('a batch of credentials', () => {
  it('returns one result for each item in order, and a bad one does not affect the others', async () => {
    const offerId = randomUUID();
    const items = await results([
      item({ offerId }),
      item({ credential: { credentialSubject: 1 } }),
      'no object',
      item({ offerId }),
      item({ expiresAt: 'soon' }),
      item({ surprise: true }),
      item(),
    ]);
    expect(items.map(({ index, status }) => [index, status])).toEqual([
      [0, 201],
      [1, 400],
      [2, 400],
      [3, 409],
      [4, 400],
      [5, 400],
      [6, 201],
    ]);
    const slugs = items.map(
      ({ problem }) =>
        problem &&
        String((problem as Json)['type'])
          .split('/')
          .at(-1),
    );
    expect(slugs).toEqual([
      undefined,
      'invalid-credential-payload',
      'validation-failed',
      'conflict',
      'invalid-expiration-date',
      'validation-failed',
      undefined,
    ]);
    const { credentialId } = items[6]?.['credential'] as Json;
    expect(answered(200, await get(`${service.url}/v0/credentials/${String(credentialId)}`))).toMatchObject({
      status: 'Prepared',
      credential: { credentialSubject: { given_name: 'Ada' } },
    });
  });

  it('accepts items as large as a request with one credential', async () => {
    const withText = (length: number) =>
      item({ credential: { credentialSubject: { given_name: 'x'.repeat(length) } } });
    const items = await results([withText(255 * 1024), withText(256 * 1024), item()]);
    expect(items).toMatchObject([
      { status: 201 },
      { status: 413, problem: { title: 'Payload Too Large', detail: expect.stringContaining('262144') as unknown } },
      { status: 201 },
    ]);
  });

  it('accepts a thousand credentials and no more', async () => {
    const items = await results(Array.from({ length: 1000 }, () => item()));
    expect(items.filter(({ status }) => status === 201)).toHaveLength(1000);
    expect((await send(Array.from({ length: 1001 }, () => item()))).json).toMatchObject({ status: 400 });
  });

  it.each([[[]], [{}], ['text'], [null]])('rejects %j instead of a list', async (credentials) => {
    expect((await send(credentials)).json).toMatchObject({ status: 400, title: 'Validation Failed' });
  });
});

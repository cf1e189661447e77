import { randomUUID } from 'node:crypto';
import { answered, get, type Json, postJson } from '../support/http/requests';
import { publishedTemplate } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { rewrite } from '../support/service/stored-template';

const service = serviceOfFile();

const withPattern = (pattern: string): Json => ({
  type: 'object',
  properties: { given_name: { type: 'string', pattern } },
});
const slowClaims = { given_name: `${'a'.repeat(40)}!` };

/** A template with a pattern that would be rejected today, as an earlier version may have stored it. */
async function slowTemplate(): Promise<string> {
  const templateId = await publishedTemplate(service.url);
  await rewrite(service, templateId, { schema: withPattern('^(a|a)*$') });
  return templateId;
}

const item = (templateId: string, credentialSubject: Json): Json => ({
  offerId: randomUUID(),
  templateId,
  credential: { credentialSubject },
});

async function batch(items: readonly Json[]): Promise<Json[]> {
  return answered(200, await postJson(`${service.url}/v0/credentials/batch`, { credentials: items }))[
    'items'
  ] as Json[];
}

const problemOf = ({ problem }: Json): string => String((problem as Json | undefined)?.['title']);

describe('a batch whose checks take too long', () => {
  it('delays neither the service nor checks of other templates, and times out', async () => {
    const slow = await slowTemplate();
    const other = await publishedTemplate(service.url, { schema: withPattern('^[A-Z][a-z]+$') });
    const quick = await publishedTemplate(service.url);
    const awaited = { isWaiting: true };
    const answering = batch([
      ...Array.from({ length: 40 }, () => item(slow, slowClaims)),
      item(quick, { given_name: 'Erika' }),
    ]).finally(() => (awaited.isWaiting = false));

    const meanwhile: [boolean, number][] = [];
    while (awaited.isWaiting) {
      const { status } = await get(`${service.url}/livez`);
      const prepared = await postJson(`${service.url}/v0/credentials`, item(other, { given_name: 'Erika' }));
      if (status === 200) meanwhile.push([awaited.isWaiting, prepared.status]);
    }
    expect(meanwhile.filter(([wasWaiting, status]) => wasWaiting && status === 201).length).toBeGreaterThan(2);

    const results = await answering;
    expect(results.at(-1)).toMatchObject({ status: 201 });
    const refused = results.slice(0, -1).map(problemOf);
    const refusals = ['Credential Schema Validation Failed', 'Claims Not Checked'];
    const [failed = [], unchecked = []] = refusals.map((title) => refused.filter((one) => one === title));
    expect(failed.length + unchecked.length).toBe(40);
    expect(failed.length).toBeGreaterThan(0);
    expect(unchecked.length).toBeGreaterThan(30);
    const late = results.find((one) => problemOf(one) === 'Claims Not Checked');
    expect(late).toMatchObject({
      status: 503,
      problem: { detail: expect.stringContaining('Send this credential again') },
    });
  });

  it('still accepts ordinary claims of the same template', async () => {
    const slow = await slowTemplate();
    const [first, second] = [await batch([item(slow, slowClaims)]), await batch([item(slow, { given_name: 'aa' })])];
    expect([...first, ...second]).toMatchObject([
      { status: 422, problem: { violations: [{ message: expect.stringContaining('takes too long') }] } },
      { status: 201 },
    ]);
  });
});

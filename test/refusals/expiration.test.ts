import { EventStore } from '@app/event-store';
import { randomUUID } from 'node:crypto';
import { answered, get, type Json, postJson, type Reply } from '../support/http/requests';
import { expectProblem } from '../support/http/refusals';
import { publishedTemplate, quickStart } from '../support/portal/portal';
import { serviceOfFile } from '../support/service/service-of-file';
import { storedRows } from '../support/database/stored-rows';

const deadline = '2030-06-15T12:00:00.000Z';

const service = serviceOfFile();
let ids: Record<'never' | 'duration' | 'deadline' | 'year' | 'month' | 'past', string>;
beforeAll(async () => {
  const template = (expiration: string): Promise<string> => publishedTemplate(service.url, { expiration });
  ids = {
    never: await template('never'),
    duration: await template('P30D'),
    deadline: await template(deadline),
    year: await template('P1Y'),
    month: await template('P1M'),
    past: await template('2020-01-01T00:00:00Z'),
  };
});
afterEach(() => jest.restoreAllMocks());

/** The clock of the service, so that an equal moment differs from one a millisecond later. */
function at(moment: string): void {
  jest.spyOn(service.app.get(EventStore), 'clock').mockImplementation(() => new Date(moment));
}

function prepare(templateId: string, expiresAt: unknown, changes: Json = {}): Promise<Reply> {
  const credential = { credentialSubject: { given_name: 'Erika' } };
  const body = { offerId: randomUUID(), templateId, credential, expiresAt, ...changes };
  return postJson(`${service.url}/v0/credentials`, body);
}

const noon = '2027-05-10T12:00:00.000Z';

describe('the expiry of a credential', () => {
  it.each([
    ['never', undefined, 'never'],
    ['never', 'never', 'never'],
    ['never', '2027-05-10T12:00:00.001Z', '2027-05-10T12:00:00.001Z'],
    ['never', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ['never', '9999-12-31T23:59:59+01:00', '9999-12-31T22:59:59.000Z'],
    ['never', '2028-02-29T12:00:00Z', '2028-02-29T12:00:00.000Z'],
    ['never', '2028-02-29t12:00:00z', '2028-02-29T12:00:00.000Z'],
    ['duration', undefined, '2027-06-09T12:00:00.000Z'],
    ['duration', '2027-06-09T11:59:59.999Z', '2027-06-09T11:59:59.999Z'],
    ['duration', '2027-06-09T12:00:00Z', '2027-06-09T12:00:00.000Z'],
    ['duration', '2027-06-09T14:00:00+02:00', '2027-06-09T12:00:00.000Z'],
    ['duration', '2027-06-09T00:30:00-11:30', '2027-06-09T12:00:00.000Z'],
    ['deadline', undefined, deadline],
    ['deadline', '2030-06-15T11:59:59.999Z', '2030-06-15T11:59:59.999Z'],
    ['deadline', deadline, deadline],
    ['deadline', '2030-06-16T01:45:00+13:45', deadline],
  ] as const)('with the limit %s and expiresAt %s is %s', async (limit, expiresAt, expected) => {
    at(noon);
    const prepared = answered(201, await prepare(ids[limit], expiresAt));
    expect(prepared).toMatchObject({ expiresAt: expected, createdAt: noon });
    const read = await get(`${service.url}/v0/credentials/${String(prepared['credentialId'])}`);
    expect(read.json['expiresAt']).toBe(expected);
  });

  it.each([
    ['month', '2027-01-31T08:00:00.000Z', '2027-02-28T08:00:00.000Z'],
    ['month', '2028-01-31T08:00:00.000Z', '2028-02-29T08:00:00.000Z'],
    ['year', '2028-02-29T08:00:00.000Z', '2029-02-28T08:00:00.000Z'],
    ['year', '2027-02-28T08:00:00.000Z', '2028-02-28T08:00:00.000Z'],
  ] as const)('after a %s from %s on is %s, by the calendar', async (limit, from, expected) => {
    at(from);
    expect(answered(201, await prepare(ids[limit], undefined))['expiresAt']).toBe(expected);
    expect(answered(201, await prepare(ids[limit], expected))['expiresAt']).toBe(expected);
    const late = new Date(Date.parse(expected) + 1).toISOString();
    expectProblem(await prepare(ids[limit], late), 422, 'expiration-exceeds-template-limit');
  });

  it('of a provisioned configuration without expiration is never, unless it is sent', async () => {
    at(noon);
    const named = { templateId: undefined, credentialConfigurationId: quickStart };
    expect(answered(201, await prepare('', undefined, named))['expiresAt']).toBe('never');
    const limited = answered(201, await prepare('', '9999-12-31T23:59:59Z', named));
    expect(limited['expiresAt']).toBe('9999-12-31T23:59:59.000Z');
  });
});

describe('an expiry is rejected, with nothing stored,', () => {
  const refused = async (reply: Reply, before: unknown, problem: 'date' | 'limit'): Promise<void> => {
    if (problem === 'date') expectProblem(reply, 400, 'invalid-expiration-date', 'Invalid Expiration Date');
    else expectProblem(reply, 422, 'expiration-exceeds-template-limit', 'Expiration Exceeds Template Limit');
    expect(reply.json['instance']).toBe('/v0/credentials');
    expect(await storedRows(service)).toEqual(before);
  };

  it.each([
    ['duration', 'never'],
    ['duration', '2027-06-09T12:00:00.001Z'],
    ['duration', '2027-06-09T13:00:00+00:59'],
    ['duration', '9999-12-31T23:59:59Z'],
    ['deadline', 'never'],
    ['deadline', '2030-06-15T12:00:00.001Z'],
    ['deadline', '2030-06-15T12:00:00-00:01'],
    // The template has expired: nothing can be prepared.
    ['past', undefined],
    ['past', 'never'],
    ['past', '2027-05-11T12:00:00Z'],
  ] as const)('beyond the limit %s: %s', async (limit, expiresAt) => {
    at(noon);
    const before = await storedRows(service);
    await refused(await prepare(ids[limit], expiresAt), before, 'limit');
  });

  it.each([
    ['duration', noon],
    ['duration', '2027-05-10T14:00:00+02:00'],
    ['duration', '2027-05-10T11:59:59.999Z'],
    ['never', '2027-05-10T13:59:59+02:00'],
    ['never', '2027-02-29T00:00:00Z'],
    ['never', '2100-02-29T00:00:00Z'],
    ['never', '2027-06-31T00:00:00Z'],
    ['never', '2027-05-11T24:00:00Z'],
    ['never', '2027-06-30T23:59:60Z'],
    ['never', '2027-06-09T12:00:00+24:00'],
    ['never', '2027-06-09T12:00Z'],
    ['never', '2027-06-09 12:00:00Z'],
    ['never', '9999-12-31T23:59:59.001Z'],
    ['never', '9999-12-31T23:59:59-00:01'],
    ['never', '10000-01-01T00:00:00Z'],
    ['never', 'NEVER'],
    ['never', true],
    ['never', {}],
    ['never', ['never']],
    // An invalid date is reported before the limit is checked.
    ['past', 'soon'],
    ['past', '2019-01-01T00:00:00Z'],
    ['deadline', '2030-06-31T00:00:00Z'],
  ] as const)('in itself (limit %s): %j', async (limit, expiresAt) => {
    at(noon);
    const before = await storedRows(service);
    await refused(await prepare(ids[limit], expiresAt), before, 'date');
  });
});

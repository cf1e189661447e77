import { StatusRefusal } from '@app/credentials';
import type { AttestationStatuses } from '@app/identity';
import { Logger } from '@nestjs/common';
import { Registrar, verifierAt } from '../../fixtures/registrar';
import { verifiedCertificate } from '../certificate/verified-certificate';
import { RegistrationStatuses } from './registration-statuses';

const start = new Date('2026-11-28T12:00:00Z');
const hours = (count: number): Date => new Date(start.getTime() + count * 3_600_000);
const registrar = new Registrar();
const of = (idx: number | undefined) => {
  const status = idx === undefined ? undefined : { status_list: { idx, uri: 'https://registrar.example/list' } };
  const text = registrar.certificate(verifierAt(start.getTime() / 1000, { status }));
  return verifiedCertificate(text, [registrar.anchor], start);
};

/** @param stated what the registrar states, look by look; the last one for all others */
function looking(...stated: ('valid' | StatusRefusal['status'])[]) {
  const asked: string[] = [];
  const checkOne = (purpose: string) => {
    asked.push(purpose);
    const next = stated.length > 1 ? stated.shift() : stated[0];
    return next === 'valid' || next === undefined
      ? Promise.resolve()
      : Promise.reject(new StatusRefusal(next, 'the status list could not be fetched'));
  };
  return { asked, statuses: new RegistrationStatuses({ checkOne } as unknown as AttestationStatuses) };
}

describe('the status of a registration certificate', () => {
  let told: readonly jest.SpyInstance[];
  const tellings = () => told.map(({ mock }) => mock.calls.length);
  beforeEach(() => {
    told = (['warn', 'error'] as const).map((level) => jest.spyOn(Logger.prototype, level).mockReset());
  });

  it('is asked for twice a day, and is none where the registrar gave none', async () => {
    const { asked, statuses } = looking('valid');
    const [one, none] = [of(1), of(undefined)];
    expect(await statuses.look([one, none], start)).toBe(true);
    expect([statuses.of(one), statuses.of(none)]).toEqual([
      expect.objectContaining({ status: 'valid', statedAt: start }),
      { status: 'none' },
    ]);
    expect(await statuses.look([one, none], hours(11))).toBe(false);
    expect(asked).toEqual(['registrar']);
    await statuses.look([one, none], hours(12));
    expect(asked).toHaveLength(2);
  });

  it('warns while the list cannot be had, and more loudly after a day', async () => {
    const { statuses } = looking('valid', 'undetermined');
    const one = of(1);
    for (const hour of [0, 12, 24]) await statuses.look([one], hours(hour));
    expect(statuses.of(one)).toMatchObject({ status: 'undetermined', statedAt: start });
    expect(tellings()).toEqual([2, 0]);
    await statuses.look([one], hours(25));
    expect(tellings()).toEqual([2, 1]);
  });

  it('stays revoked while the list cannot be had, and is told once', async () => {
    const { statuses } = looking('revoked', 'undetermined', 'revoked');
    const one = of(1);
    for (const hour of [0, 12, 13]) await statuses.look([one], hours(hour));
    expect(statuses.of(one).status).toBe('revoked');
    expect(tellings()).toEqual([1, 1]);
  });
});

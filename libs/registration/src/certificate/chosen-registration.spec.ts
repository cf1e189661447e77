import { parseDcqlQuery } from '@app/openid4vc';
import { Problem } from '@app/primitives/problems';
import { pid, Registrar, verifierAt } from '../../fixtures/registrar';
import { chooseRegistration, type UsableCertificate } from './chosen-registration';
import { readCertificate } from './registration-certificate';

const registrar = new Registrar();
const usable = (intendedUseId: string, ...names: string[]): UsableCertificate => {
  const credentials = [
    { format: 'dc+sd-jwt', meta: { vct_values: [pid] }, claim: names.map((name) => ({ path: [name] })) },
  ];
  const text = registrar.certificate(verifierAt(1_000, { credentials, intended_use_id: intendedUseId }));
  return { intendedUseId, certificate: readCertificate(text).certificate };
};
const query = (...names: string[]) =>
  parseDcqlQuery({
    credentials: [
      { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [pid] }, claims: names.map((name) => ({ path: [name] })) },
    ],
  });
const card = usable('card', 'given_name');
const room = usable('room', 'given_name', 'family_name');

function pointersOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem && error.slug === 'request-not-registered') {
      return error.violations.map(({ pointer }) => pointer);
    }
    throw error;
  }
  return [];
}

describe('the registration certificate of a request', () => {
  it('is the only one that covers it, or the named one', () => {
    expect(chooseRegistration(query('family_name'), [card, room], undefined, 'refuse').certificate).toBe(
      room.certificate,
    );
    expect(chooseRegistration(query('given_name'), [card, room], 'card', 'refuse').certificate).toBe(card.certificate);
  });

  it('is none where there is none, and nothing is compared', () => {
    expect(chooseRegistration(query('anything'), [], undefined, 'refuse')).toEqual({ warnings: [] });
  });

  it('has to be named where several cover the request', () => {
    expect(pointersOf(() => chooseRegistration(query('given_name'), [card, room], undefined, 'refuse'))).toEqual([
      '/intendedUseId',
    ]);
  });

  it('is missed under a name that none has, whatever the rule', () => {
    for (const rule of ['refuse', 'warn', 'off'] as const) {
      expect(pointersOf(() => chooseRegistration(query('given_name'), [card], 'crad', rule))).toEqual([
        '/intendedUseId',
      ]);
    }
  });

  it('refuses what goes beyond the one that comes closest, with the places', () => {
    const asked = query('given_name', 'family_name', 'birthdate');
    expect(pointersOf(() => chooseRegistration(asked, [card, room], undefined, 'refuse'))).toEqual([
      '/dcql_query/credentials/0/claims/2/path',
    ]);
    expect(pointersOf(() => chooseRegistration(asked, [card, room], 'card', 'refuse'))).toHaveLength(2);
  });

  it('warns of the same, or compares nothing, as the setting says, and goes along', () => {
    const warned = chooseRegistration(query('birthdate'), [card], undefined, 'warn');
    expect(warned.certificate).toBe(card.certificate);
    expect(warned.warnings).toEqual([expect.stringContaining('dcql_query/credentials/0/claims/0/path: ')]);
    const off = chooseRegistration(query('birthdate'), [card], undefined, 'off');
    expect(off).toEqual({ certificate: card.certificate, warnings: [] });
    expect(chooseRegistration(query('birthdate'), [card, room], undefined, 'warn').certificate).toBeUndefined();
  });
});

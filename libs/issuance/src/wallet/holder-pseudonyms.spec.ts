import { Sealer } from '@app/keys';
import { knownRootKeys } from '@app/keys/fixtures/root-keys';
import type { Credential, CredentialEvent } from '../credential/credential';
import { HolderPseudonyms } from './holder-pseudonyms';

const sealer = new Sealer(knownRootKeys());
const issued: CredentialEvent = {
  type: 'CredentialIssued',
  issuedAt: '2026-11-20T10:00:00.000Z',
  holderKeys: ['k1', 'k2'],
};

async function pseudonymsOf(credentialId: string, wrappedKey?: Buffer) {
  const given = wrappedKey ?? (await sealer.newDataKey(`credential-${credentialId}`)).wrapped;
  const made = await HolderPseudonyms.of(['k1', 'k2'], { sealer, credentialId, wrappedKey: given });
  if (!made) throw new Error('nothing was erased');
  return { made, wrapped: given };
}

const credential = (holderKeys: readonly string[]): Credential => ({
  credentialId: 'c1',
  offerId: 'o1',
  configurationId: 'diploma',
  format: 'jwt_vc_json',
  createdAt: '2026-11-20T09:59:00.000Z',
  expiresAt: null,
  status: 'Issued',
  issuedAt: '2026-11-20T10:00:00.000Z',
  holderKeys,
});

const namesIn = (events: readonly CredentialEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'CredentialIssued' ? event.holderKeys : []));

describe('the keys of holders', () => {
  it('are stored by names that differ for each credential, and read again with its data key', async () => {
    const { made, wrapped } = await pseudonymsOf('c1');
    const names = namesIn(made.write([issued]));
    expect(names).toEqual([expect.stringMatching(/^[\w-]{43}$/), expect.stringMatching(/^[\w-]{43}$/)]);
    expect(new Set(names).size).toBe(2);
    expect(made.read(credential(names))).toMatchObject({ holderKeys: ['k1', 'k2'] });
    const again = await pseudonymsOf('c1', wrapped);
    expect(namesIn(again.made.write([issued]))).toEqual(names);
    const other = await pseudonymsOf('c2');
    expect(namesIn(other.made.write([issued])).filter((name) => names.includes(name))).toEqual([]);
    expect(other.made.read(credential(names))).toEqual(credential(names));
  });
});

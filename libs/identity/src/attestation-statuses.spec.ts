import { Settings } from '@app/config';
import { encodeStatusList, StatusRefusal } from '@app/credentials';
import { type Authority, certify, signBy, x5c } from '@app/credentials/fixtures/certificates';
import { certifiedKey } from '@app/primitives/fixtures/certified-key';
import type { JsonValue } from '@app/primitives/json';
import type { TrustAnchor } from './trust/trust-anchor';
import type { TrustAnchors } from './trust/trust-anchors';
import { AttestationStatuses, AttestationStatusFault, type AttesterPurpose } from './attestation-statuses';
import type { IssuerDirectory } from './issuer-directory';

const now = new Date('2026-11-20T12:00:00Z');
const seconds = now.getTime() / 1000;
const uri = 'https://provider.example/list';
const wallets = certify({ name: 'wallets', isAuthority: true });
const lists = certify({ name: 'lists', isAuthority: true });
const attesters = certify({ name: 'attesters', isAuthority: true });
const anchors: Record<string, Authority> = { 'wallet-provider': wallets, 'key-attester': attesters, status: lists };
const signedBelow = (authority: Authority) => certify({ name: 'provider', issuer: authority, isAuthority: false });

/** An anchor, and of which entity of a list of trusted entities it is. */
interface Listed {
  readonly purpose: string;
  readonly authority: Authority;
  readonly entity?: string;
}
const unlisted = Object.entries(anchors).map(([purpose, authority]) => ({ purpose, authority }));
const anchorOf = ({ purpose, authority: { certificate }, entity }: Listed) =>
  ({
    certificate,
    name: purpose,
    fingerprint: certificate.fingerprint256,
    types: [],
    ...(entity !== undefined && { entity }),
  }) as unknown as TrustAnchor;

type Rule = Settings['authorization']['attestationStatus'];
/** Entry 1 of the list is revoked. */
function statuses(
  rule: Rule = 'when-present',
  signer = signedBelow(wallets),
  listed: readonly Listed[] = unlisted,
  sign = signBy(signer),
) {
  const settings = new Settings();
  Object.assign(settings.authorization, { attestationStatus: rule });
  Object.assign(settings.verification, { undeterminedStatus: 'reject' });
  const claims = { sub: uri, iat: seconds, exp: seconds + 600, status_list: encodeStatusList(1, 8, [[1, 1]]) };
  const body = Buffer.from(sign({ typ: 'statuslist+jwt', x5c: x5c(signer) }, claims));
  const fetchStatusList = jest.fn((asked: string) =>
    asked === uri
      ? Promise.resolve({ body, contentType: 'application/statuslist+jwt', cacheable: true })
      : Promise.reject(new Error('down')),
  );
  const issuers = {
    fetchStatusList,
    onTrustChange: () => undefined,
    find: () => Promise.reject(new StatusRefusal('undetermined', 'no key of the issuer')),
  };
  const trusted = {
    find: (purpose: string) => listed.filter((one) => one.purpose === purpose).map(anchorOf),
  };
  const checker = new AttestationStatuses(
    settings,
    issuers as unknown as IssuerDirectory,
    trusted as unknown as TrustAnchors,
  );
  return { checker, fetchStatusList };
}

const at = (idx: number, list = uri): JsonValue => ({ status_list: { uri: list, idx } });
const kept = (status: JsonValue, exp: JsonValue = seconds + 86_400): JsonValue => ({ status, exp });

async function outcomeOf(
  { checker }: ReturnType<typeof statuses>,
  attestation: Parameters<AttestationStatuses['check']>[1],
  purpose: AttesterPurpose = 'wallet-provider',
): Promise<string> {
  try {
    await checker.check(purpose, attestation, now);
    return 'good';
  } catch (error) {
    if (error instanceof StatusRefusal) return error.status;
    if (error instanceof AttestationStatusFault) return 'fault';
    throw error;
  }
}

describe('the status of an attestation', () => {
  it.each(['status', 'keptStatus'] as const)('is that of its entry in the list, by %s', async (claim) => {
    const stated = (status: JsonValue) => ({ [claim]: claim === 'status' ? status : kept(status) });
    expect(await outcomeOf(statuses(), stated(at(0)))).toBe('good');
    expect(await outcomeOf(statuses(), stated(at(1)))).toBe('revoked');
    expect(await outcomeOf(statuses(), stated(at(0, 'https://provider.example/none')))).toBe('undetermined');
  });

  it('is read of a list that an authority has signed with RSA or on P-521', async () => {
    for (const [alg, kind] of [
      ['PS256', 'rsa'],
      ['ES512', 'p521'],
    ] as const) {
      const key = certifiedKey(kind);
      const signer = certify({ name: 'lists', issuer: wallets, isAuthority: false, key });
      const known = statuses('when-present', signer, unlisted, (header, payload) => key.sign(alg, header, payload));
      expect([await outcomeOf(known, { status: at(0) }), await outcomeOf(known, { status: at(1) })]).toEqual([
        'good',
        'revoked',
      ]);
      const forged = statuses('when-present', signer, unlisted, (header, payload) =>
        certifiedKey(kind).sign(alg, header, payload),
      );
      expect(await outcomeOf(forged, { status: at(0) })).toBe('undetermined');
    }
  });

  it('is fetched once for all attestations that name the list', async () => {
    const known = statuses();
    for (const idx of [0, 2, 3]) expect(await outcomeOf(known, { keptStatus: kept(at(idx)) })).toBe('good');
    expect(known.fetchStatusList).toHaveBeenCalledTimes(1);
  });

  it('is stated by those who may attest the same, and by nobody else', async () => {
    const byAttester = statuses('when-present', signedBelow(attesters));
    const keptStatus = kept(at(0));
    expect(await outcomeOf(byAttester, { keptStatus }, 'key-attester')).toBe('good');
    expect(await outcomeOf(byAttester, { keptStatus }, 'wallet-provider')).toBe('undetermined');
    expect(await outcomeOf(statuses(), { keptStatus }, 'key-attester')).toBe('undetermined');
  });

  it('may be stated by an authority for status lists, in a list of trusted entities of the same entity alone', async () => {
    const provider = { purpose: 'wallet-provider', authority: wallets, entity: 'list 1' };
    const other = { purpose: 'wallet-provider', authority: attesters, entity: 'list 0' };
    const listing = (entity: string): Listed => ({ purpose: 'status', authority: lists, entity });
    const attestation = { keptStatus: kept(at(0)), anchor: anchorOf(provider) };
    const stated = (listed?: readonly Listed[], signer = lists) =>
      outcomeOf(statuses('when-present', signedBelow(signer), listed), attestation);
    expect(await stated()).toBe('good');
    expect(await stated([provider, listing('list 1')])).toBe('good');
    expect(await stated([provider, listing('list 0')])).toBe('undetermined');
    // That of another provider, which may speak of its own wallets alone.
    expect(await stated([provider, other, listing('list 0')])).toBe('undetermined');
    expect(await stated([provider, other], attesters)).toBe('undetermined');
    expect(await stated([provider, { ...other, authority: wallets }, listing('list 0')])).toBe('good');
  });

  it('is revoked if one of both claims says so', async () => {
    expect(await outcomeOf(statuses(), { status: at(1), keptStatus: kept(at(0)) })).toBe('revoked');
    expect(await outcomeOf(statuses(), { status: at(0), keptStatus: kept(at(1)) })).toBe('revoked');
  });

  it.each<[string, JsonValue]>([
    ['no object', 'valid'],
    ['without a status', { exp: seconds + 60 }],
    ['with an exp that is no number', kept(at(0), 'tomorrow')],
    ['kept no longer', kept(at(0), seconds - 61)],
  ])('is faulty when it is %s', async (_, keptStatus) => {
    expect(await outcomeOf(statuses(), { keptStatus })).toBe('fault');
    expect(await outcomeOf(statuses('off'), { keptStatus })).toBe('good');
  });

  it('may be missing, unless it is required; off looks up what the attestation calls status alone', async () => {
    expect(await outcomeOf(statuses(), {})).toBe('good');
    expect(await outcomeOf(statuses('required'), {})).toBe('fault');
    expect(await outcomeOf(statuses('required'), { status: at(0) })).toBe('good');
    expect(await outcomeOf(statuses('required'), { keptStatus: kept(at(0)) })).toBe('good');
    const off = statuses('off');
    expect(await outcomeOf(off, { keptStatus: kept(at(1)) })).toBe('good');
    expect(off.fetchStatusList).not.toHaveBeenCalled();
    expect(await outcomeOf(off, { status: at(1), keptStatus: kept(at(0)) })).toBe('revoked');
  });
});

import { Settings } from '@app/config';
import { certify, signBy, x5c } from '@app/credentials/fixtures/certificates';
import type { EventStore } from '@app/event-store';
import { AttestationStatuses } from '@app/identity';
import { signingKey } from '@app/primitives/fixtures/signing-key';
import { Authenticator, SealedTokens } from '@app/keys';
import { knownRootKeys } from '@app/keys/fixtures/root-keys';
import { OAuthError, walletUrls } from '@app/openid4vc';
import { AttestationChallenges } from './attestation-challenges';
import { WalletAttestations } from './wallet-attestations';

const now = new Date('2026-11-20T12:00:00Z');
const seconds = now.getTime() / 1000;
const urls = walletUrls('https://issuer.example');
const root = certify({ name: 'wallets', isAuthority: true });
const provider = certify({ name: 'provider', issuer: root, isAuthority: false });
const key = signingKey('ES256');
const challenges = new AttestationChallenges(new SealedTokens(new Authenticator(knownRootKeys())));

const attestation = (status?: object): string => {
  const claims = { sub: 'wallet', exp: seconds + 300, cnf: { jwk: key.jwk }, ...(status && { status }) };
  return signBy(provider)(
    { typ: 'oauth-client-attestation+jwt', x5c: x5c(provider) },
    JSON.parse(JSON.stringify(claims)) as never,
  );
};
const proof = (challenge?: string): string => {
  const claims = { aud: urls.issuer, jti: 'one', iat: seconds, ...(challenge !== undefined && { challenge }) };
  return key.sign({ typ: 'oauth-client-attestation-pop+jwt' }, claims);
};

/** No status list can be fetched. */
function attestations(rules: { challenge?: 'required'; undetermined?: 'accept' } = {}): WalletAttestations {
  const settings = new Settings();
  Object.assign(settings.authorization, { attestationChallenge: rules.challenge ?? 'offered' });
  Object.assign(settings.verification, { undeterminedStatus: rules.undetermined ?? 'reject' });
  const anchors = { find: () => [{ certificate: root.certificate, name: 'Wallets' }] };
  const issuers = {
    fetchStatusList: () => Promise.reject(new Error('down')),
    onTrustChange: () => undefined,
  };
  const store = { clock: () => new Date() } as EventStore;
  const statuses = new AttestationStatuses(settings, issuers as never, anchors as never);
  return new WalletAttestations(anchors as never, settings, statuses, challenges, store, urls);
}

async function refusalOf(outcome: Promise<unknown>): Promise<string> {
  try {
    await outcome;
    return 'accepted';
  } catch (error) {
    if (error instanceof OAuthError) return `${error.status} ${String(error.code)} ${error.reason}`;
    throw error;
  }
}

describe('the challenge of a wallet attestation', () => {
  const withChallenge = (challenge: string | undefined, rules: Parameters<typeof attestations>[0] = {}) =>
    refusalOf(attestations(rules).verify({ attestation: attestation(), proof: proof(challenge) }, now));
  const current = challenges.issue(now);

  it('is checked where there is one', async () => {
    expect(await withChallenge(current)).toBe('accepted');
    expect(await withChallenge(undefined)).toBe('accepted');
    expect(await withChallenge('forged')).toBe('400 use_attestation_challenge challenge-unknown');
  });

  it('has to be there when the settings require it', async () => {
    expect(await withChallenge(current, { challenge: 'required' })).toBe('accepted');
    expect(await withChallenge(undefined, { challenge: 'required' })).toBe(
      '400 use_attestation_challenge challenge-missing',
    );
  });

  it('ends after five minutes', async () => {
    const old = challenges.issue(new Date(now.getTime() - 300_000));
    expect(await withChallenge(old)).toBe('400 use_attestation_challenge challenge-unknown');
  });
});

describe('the status of a wallet attestation', () => {
  const status = { status_list: { uri: 'https://provider.example/1', idx: 1 } };
  const withStatus = (rules: Parameters<typeof attestations>[0] = {}) =>
    refusalOf(attestations(rules).verify({ attestation: attestation(status), proof: proof() }, now));

  it('that cannot be had refuses the wallet for now, unless the settings accept it', async () => {
    expect(await withStatus()).toBe('503 temporarily_unavailable temporarily_unavailable');
    expect(await withStatus({ undetermined: 'accept' })).toBe('accepted');
  });
});

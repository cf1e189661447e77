import type { TrustState } from '@app/identity';
import { judgeWalletClients } from './wallet-client-check';

const provider = {
  name: 'Wallet providers',
  purposes: ['wallet-provider'],
} as unknown as TrustState['anchors'][number];
const issuer = { ...provider, name: 'Issuers', purposes: ['issuer'] } as unknown as TrustState['anchors'][number];

function judged(
  clients: string,
  anchors: TrustState['anchors'] = [issuer],
  clientsFile = '',
  profile = 'production',
  haip = false,
) {
  const settings = { profile, haip, authorization: { clients, clientsFile } };
  return judgeWalletClients(settings as Parameters<typeof judgeWalletClients>[0], { anchors });
}

describe('the wallets that may ask by authorization code', () => {
  it.each([
    ['ok', 'none, as nothing is set', judged(''), 'none may'],
    [
      'ok',
      'attested ones, as a provider is trusted',
      judged('', [provider]),
      'those that Wallet providers attests may',
    ],
    ['ok', 'attested ones and those of the file', judged('', [provider], 'w.yaml'), 'attests and those of w.yaml may'],
    ['ok', 'those of the file', judged('', [issuer], 'w.yaml'), 'those of w.yaml may'],
    ['ok', 'all, in development', judged('any', [], '', 'development'), 'every wallet may'],
    ['warn', 'all, in production', judged('any'), 'also one that cannot show which it is'],
    ['warn', 'attested ones, without a provider', judged('attested'), 'so none may'],
    ['warn', 'attested ones, without a provider but a file', judged('attested', [], 'w.yaml'), 'only those of w.yaml'],
    [
      'fail',
      'none, as SERVICE__HAIP wants a provider',
      judged('attested', [], 'w.yaml', 'production', true),
      'SERVICE__HAIP needs',
    ],
    ['warn', 'registered ones, without a file', judged('registered'), 'and none is'],
  ])('are %s: %s', (outcome, _, finding, found) => {
    expect(finding).toMatchObject({ check: 'wallets', outcome, found: expect.stringContaining(found) as string });
  });
});

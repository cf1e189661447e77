import { clientRuleIn, type Settings } from '@app/config';
import type { TrustState } from '@app/identity';
import { fail, type Finding, ok, warn } from './finding';

/** Which wallets may ask for credentials by authorization code. Pre-authorized codes are redeemed by every wallet. */
export function judgeWalletClients(
  { profile, haip, authorization: { clients, clientsFile } }: Pick<Settings, 'profile' | 'haip' | 'authorization'>,
  { anchors }: Pick<TrustState, 'anchors'>,
): Finding {
  const check = 'wallets';
  const providers = anchors.filter(({ purposes }) => purposes.includes('wallet-provider')).map(({ name }) => name);
  const attested = providers.length > 0 ? `those that ${providers.join(', ')} attests` : undefined;
  const named = clientsFile === '' ? undefined : `those of ${clientsFile}`;
  const rule = clientRuleIn({ clients }, providers.length > 0);
  const setting = 'SERVICE__AUTHORIZATION__CLIENTS';
  const trustProvider =
    'Put the authority of a wallet provider into SERVICE__TRUST__ANCHORS, with the purpose wallet-provider.';
  if (haip && attested === undefined) {
    return fail(check, 'no authority vouches for wallets, which SERVICE__HAIP needs', trustProvider);
  }
  switch (rule) {
    case 'any':
      if (profile === 'development') return ok(check, 'every wallet may ask for credentials by authorization code');
      return warn(
        check,
        'every wallet may ask for credentials by authorization code, also one that cannot show which it is',
        `Set ${setting} to attested or registered.`,
      );
    case 'attested': {
      const allowed = [attested, named].filter((one) => one !== undefined);
      if (attested === undefined) {
        const others = named === undefined ? 'so none may' : `so only ${named} may`;
        return warn(
          check,
          `attested wallets may ask for credentials by authorization code, but no authority vouches for one, ${others}`,
          trustProvider,
        );
      }
      return ok(check, `${allowed.join(' and ')} may ask for credentials by authorization code`);
    }
    case 'registered':
      if (named !== undefined) return ok(check, `${named} may ask for credentials by authorization code`);
      if (clients === 'registered') {
        return warn(
          check,
          'registered wallets may ask for credentials by authorization code, and none is',
          'Name them in SERVICE__AUTHORIZATION__CLIENTS_FILE.',
        );
      }
      return ok(check, 'none may ask for credentials by authorization code; pre-authorized codes work');
  }
}

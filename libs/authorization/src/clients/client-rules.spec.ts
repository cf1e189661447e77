import { loadSettings, Settings } from '@app/config';
import { ClientRules } from './client-rules';

const current = (clients: '' | 'any' | 'registered', areAccepted: boolean) => {
  const settings = new Settings();
  Object.assign(settings.authorization, { clients });
  return new ClientRules(settings, { all: () => [] } as never, { areAccepted } as never);
};

describe('which clients are allowed', () => {
  it('depends in production on whether a wallet provider is trusted, unless the settings say it', () => {
    expect(current('', true).current).toBe('attested');
    expect(current('', false).current).toBe('registered');
    expect(current('any', true).current).toBe('any');
  });

  it('is any in development', () => {
    expect(loadSettings({ SERVICE__PROFILE: 'development' }).authorization.clients).toBe('any');
  });

  it('shows in the methods, which are never none at all', () => {
    expect(current('', true).methods().methods).toEqual(['attest_jwt_client_auth', 'attest_jwt_client_auth_dpop']);
    expect(current('any', true).methods().methods).toEqual([
      'attest_jwt_client_auth',
      'attest_jwt_client_auth_dpop',
      'none',
    ]);
    expect(current('registered', false).methods().methods).toEqual(['none']);
  });
});

import type { Rule } from './rule';

/** Between the settings of the console's sign-in. */
export const consoleRules: readonly Rule[] = [
  {
    judges: 'SERVICE__CONSOLE__OPENID__CLIENT_ID',
    check({ console: { openid } }) {
      if ((openid.issuer === '') === (openid.clientId === '')) return undefined;
      return openid.clientId === ''
        ? { found: 'nothing', remedy: 'give the client id at SERVICE__CONSOLE__OPENID__ISSUER' }
        : { found: 'a client id', remedy: 'give it together with SERVICE__CONSOLE__OPENID__ISSUER' };
    },
  },
  {
    judges: 'SERVICE__CONSOLE__OPENID__CLIENT_SECRET',
    check({ console: { openid } }) {
      const needsNone = openid.issuer === '' || openid.authentication === 'private_key_jwt';
      if (needsNone === (openid.clientSecret === '')) return undefined;
      return needsNone
        ? { found: 'a secret', remedy: 'leave it out: it is for SERVICE__CONSOLE__OPENID__ISSUER with a client secret' }
        : {
            found: 'nothing',
            remedy: 'give the secret, or set SERVICE__CONSOLE__OPENID__AUTHENTICATION=private_key_jwt',
          };
    },
  },
];

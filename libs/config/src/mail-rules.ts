import type { Rule } from './rule';

export const mailRules: readonly Rule[] = [
  {
    judges: 'SERVICE__MAIL__FROM',
    check({ mail }) {
      if (mail.host === '' || mail.from !== '') return undefined;
      return { found: 'nothing', remedy: 'give the address that mails by SERVICE__MAIL__HOST come from' };
    },
  },
  {
    judges: 'SERVICE__MAIL__PASSWORD',
    check({ mail: { user, password } }) {
      if ((user === '') === (password === '')) return undefined;
      return password === ''
        ? { found: 'nothing', remedy: 'give the password of SERVICE__MAIL__USER' }
        : { found: 'a password', remedy: 'give it together with SERVICE__MAIL__USER' };
    },
  },
  {
    judges: 'SERVICE__MAIL__SECURITY',
    check({ mail, profile }) {
      if (mail.security !== 'none' || mail.host === '') return undefined;
      if (profile === 'development' && /^(localhost|127(\.\d+){3}|::1)$/.test(mail.host)) return undefined;
      return { found: 'none', remedy: 'use starttls or tls: none is for a relay on this machine, in development' };
    },
  },
];

import type { FileMutants } from './mutant';

export const issuanceMutants: readonly FileMutants[] = [
  {
    file: 'libs/openid4vc/src/response/wallet-refusal.ts',
    tests: ['libs/openid4vc/src/response/wallet-refusal.spec.ts'],
    mutants: [
      {
        noticed: 'a wallet fills the timeline of an offer with kinds of refusals',
        original: '.length < mostKinds',
        replacement: '.length >= 0',
      },
      {
        noticed: 'a wallet fills the timeline of an offer with one refusal',
        original: ': times < mostRecords',
        replacement: ': times >= 0',
      },
      {
        noticed: 'a timeline shows what a wallet sent',
        original: 'description: words',
        replacement: 'description: words + reason',
      },
    ],
  },
  {
    file: 'libs/issuance/src/wallet/granted-credentials.ts',
    tests: ['test/flows/offers-by-authorization.test.ts'],
    mutants: [
      {
        noticed: 'a person stays known who took what everybody gets',
        original: "grant.data === 'constant' ? []",
        replacement: "grant.data === 'authorization' ? []",
      },
      {
        noticed: 'a person stays known who took a claim of a public offer',
        original: "grant.data === 'constant' ? { authorizationId: grant.offerId } : originOf(grant)",
        replacement: 'originOf(grant)',
      },
    ],
  },
  {
    file: 'libs/issuance/src/wallet/credential-encryption.ts',
    tests: ['test/flows/encrypted-credentials.test.ts'],
    mutants: [
      {
        noticed: 'a compressed request is inflated without limit',
        original: 'mostInflatedBytes: limit',
        replacement: 'mostInflatedBytes: Infinity',
      },
    ],
  },
  {
    file: 'libs/issuance/src/wallet/wallet-answers.ts',
    tests: ['test/flows/independent-wallet-deferred.test.ts', 'test/flows/encrypted-credentials.test.ts'],
    mutants: [
      {
        noticed: 'a wallet loses a credential that was deferred for its notification id',
        original: 'isEncrypted || this.settings.haip || !rejectsNotificationIds(issued.request)',
        replacement: 'isEncrypted || !this.settings.haip',
      },
      {
        noticed: 'a wallet that collects encrypted gets no notification id',
        original: 'isEncrypted || this.settings.haip',
        replacement: 'this.settings.haip',
      },
    ],
  },
  {
    file: 'libs/issuance/src/management/credential-erasure.handlers.ts',
    tests: ['test/flows/erased-data.test.ts'],
    mutants: [
      {
        noticed: 'the key of an erased credential stays',
        original: 'await this.store.destroyDataKey(credentialAggregate.category, credentialId);',
      },
      {
        noticed: 'the offer of an erased credential keeps what it says about the person',
        original: 'await this.commands.execute(new EraseOffer(offerId, cause));',
      },
    ],
  },
  {
    file: 'libs/issuance/src/credential/named-holder.ts',
    tests: [
      'libs/issuance/src/credential/named-holder.spec.ts',
      'libs/issuance/src/credential/deferred-credential.spec.ts',
    ],
    mutants: [
      {
        noticed: 'one copy of a credential that names a person is bound to the key of another',
        original: 'named.isOneCopy ? keys.some(isTheirs) : keys.every(isTheirs)',
        replacement: 'keys.some(isTheirs)',
      },
      {
        noticed: 'a credential that names a DID goes to whoever proves a bare key',
        original: '|| key === named.thumbprint',
        replacement: '|| did === undefined',
      },
    ],
  },
  {
    file: 'libs/issuance/src/credential/sealed-content.ts',
    tests: ['libs/issuance/src/credential/named-holder.spec.ts'],
    mutants: [
      {
        noticed: 'what was signed elsewhere for one key goes to another',
        original: 'boundTo(credential) ?? ',
      },
    ],
  },
  {
    file: 'libs/issuance/src/credential/credential-copies.ts',
    tests: [
      'libs/issuance/src/credential/credential-copies.spec.ts',
      'libs/issuance/src/credential/credential.spec.ts',
    ],
    mutants: [
      {
        noticed: 'whoever finds a bearer token gets copies for their own keys',
        original: '(again.isBoundToKey || isRefreshed(credential, again))',
        replacement: 'true',
      },
      {
        noticed: 'a refreshed bearer token gets any number of copies',
        original: 'tokenGivenAt.getTime() > Date.parse(latest)',
        replacement: 'tokenGivenAt.getTime() > 0',
      },
      {
        noticed: 'a suspended or revoked credential is copied',
        original: "credential.validity !== 'Valid'",
        replacement: 'false',
      },
      {
        noticed: 'a wallet gets as many copies as it likes',
        original: 'copies > again.mostCopies',
        replacement: 'copies < 0',
      },
      {
        noticed: 'a wallet that asks again for fewer or more keys gets some of the same copies',
        original: 'some.length === others.length && ',
      },
      {
        noticed: 'a revocation leaves the further copies of a credential valid',
        original: 'for (const { statusList } of [credential, ...(credential.further ?? [])]) {',
        replacement: 'for (const { statusList } of [credential]) {',
      },
    ],
  },
  {
    file: 'libs/issuance/src/credential/credential.ts',
    tests: ['libs/issuance/src/credential/credential.spec.ts'],
    mutants: [
      {
        noticed: 'an expired credential is issued',
        original: 'Date.parse(credential.expiresAt) <= issue.now.getTime()',
        replacement: 'Date.parse(credential.expiresAt) < 0',
      },
      {
        noticed: 'a credential that was deleted is accepted again',
        original: " || credential.status === 'Deleted'",
      },
      {
        noticed: 'a credential is accepted before it was issued',
        original: "!('issuedAt' in credential) || ",
      },
      {
        noticed: 'a wallet waits for one credential, and any other key gets it',
        original: "case 'Prepared':\n      if (isOfOthers) return refused('other-keys');",
        replacement: "case 'Prepared':",
        tests: ['libs/issuance/src/credential/deferred-credential.spec.ts'],
      },
      {
        noticed: 'a wallet waits for data that can no longer come',
        original: "? 'overdue' : 'pending'",
        replacement: "? 'pending' : 'pending'",
        tests: ['libs/issuance/src/credential/deferred-credential.spec.ts'],
      },
    ],
  },
  {
    file: 'libs/issuance/src/credential/sealed-content.ts',
    tests: ['libs/issuance/src/credential/sealed-content.spec.ts'],
    mutants: [
      {
        noticed: 'claims that were swapped in the database are issued to the wrong person',
        original: 'streamId: `credential-${credentialId}`,',
        replacement: "streamId: 'credential',",
      },
    ],
  },
  {
    file: 'libs/issuance/src/wallet/credential-records.ts',
    tests: ['test/refusals/key-proof.test.ts'],
    mutants: [
      {
        noticed: 'a credential is issued again for other keys',
        original: "if (denied) return { events, outcome: 'denied', denied };",
        tests: ['test/flows/repeated-issue.test.ts'],
      },
      {
        noticed: 'an eavesdropper repeats a credential request and gets the credential',
        original: '(consume) => ({ events, consume, result })',
        replacement: '() => ({ events, result })',
      },
    ],
  },
  {
    file: 'libs/issuance/src/wallet/credential-records.ts',
    tests: ['test/flows/deferred-issuing.test.ts'],
    mutants: [
      {
        noticed: 'a transaction_id serves on after the wallet has its credential',
        original: ' || hasServed(state, now)',
      },
    ],
  },
  {
    file: 'libs/issuance/src/wallet/issue.handlers.ts',
    tests: ['test/flows/batch-credential-requests.test.ts'],
    mutants: [
      {
        noticed: 'of a batch, one credential is issued although another is refused',
        original: "if (requests.length > 1 && one.recorded.outcome === 'denied') throw one.recorded.denied;",
      },
    ],
  },
  {
    file: 'libs/issuance/src/wallet/nonce-uses.ts',
    tests: ['test/flows/redemption-options.test.ts'],
    mutants: [
      {
        noticed: 'a nonce that one access token used serves another',
        original: '[{ ...nonce, note }, forConfiguration] : [forConfiguration]',
        replacement: '[forConfiguration] : [forConfiguration]',
      },
      {
        noticed: 'one key proof gets any number of credentials of an offer with several',
        original: 'hashOfSecret(Buffer.concat([nonce.hash, Buffer.from(configurationId)]))',
        replacement: 'hashOfSecret(`${String(Math.random())}${configurationId}`)',
      },
    ],
  },
  {
    file: 'libs/issuance/src/content/credential-content.ts',
    tests: ['test/refusals/expiration.test.ts'],
    mutants: [
      {
        noticed: 'a credential is prepared that no wallet can ever get',
        original: 'if (expiry && expiry <= now) {',
        replacement: 'if (expiry && expiry < new Date(0)) {',
      },
      {
        noticed: 'a template whose date has passed issues credentials',
        original: 'if (!limit || limit > now) return limit;',
        replacement: 'if (!limit || limit > new Date(0)) return limit;',
      },
      {
        noticed: 'a credential never expires although its template does',
        original: 'if (!limit || (expiry && expiry <= limit)) return;',
        replacement: 'if (!limit || !expiry || expiry <= limit) return;',
      },
      {
        noticed: 'a credential lives longer than its template allows',
        original: 'if (!limit || (expiry && expiry <= limit)) return;',
        replacement: 'if (!limit || expiry) return;',
      },
    ],
  },
  {
    file: 'libs/issuance/src/credential/credential.ts',
    tests: ['libs/issuance/src/credential/credential.spec.ts'],
    mutants: [
      {
        noticed: 'a credential that another key signed again stays listed under the earlier key',
        original:
          "return credential.signingKeyId === signingKeyId ? [] : [{ type: 'CredentialSignedAgain', signingKeyId }];",
        replacement: 'return [];',
      },
    ],
  },
  {
    file: 'libs/issuance/src/wallet/nonce-uses.ts',
    tests: ['test/refusals/credential-request.test.ts'],
    mutants: [
      {
        noticed: 'a nonce serves again and again for the second credential of an offer',
        original: '[{ ...nonce, note }, forConfiguration] : [forConfiguration]',
        replacement: '[{ ...nonce, note }, forConfiguration] : []',
      },
    ],
  },
];

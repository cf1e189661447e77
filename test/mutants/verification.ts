import type { FileMutants } from './mutant';

export const verificationMutants: readonly FileMutants[] = [
  {
    file: 'libs/openid4vc/src/request/digital-credential.ts',
    tests: ['test/flows/digital-credentials.test.ts'],
    mutants: [
      {
        noticed: 'an answer that a page of any origin got is taken',
        original: 'find((one) => !expected.includes(one))',
        replacement: "find((one) => one === '')",
      },
      {
        noticed: 'a page names another origin than its browser does',
        original: 'if (body !== undefined && body !== origin) {',
        replacement: "if (body === '') {",
      },
      {
        noticed: 'an answer to a request that was not made is taken',
        original: 'if (offered.some((one) => one === protocol)) return;',
        replacement: "if (protocol.startsWith('openid4vp')) return;",
      },
    ],
  },
  {
    file: 'libs/verification/src/response/digital-credential.endpoint.ts',
    tests: ['test/flows/digital-credentials.test.ts'],
    mutants: [
      {
        noticed: 'pages of any origin post and read answers',
        original: 'if (origin === undefined || !expected.includes(origin)) return false;',
        replacement: 'if (origin === undefined) return false;',
      },
    ],
  },
  {
    file: 'libs/identity/src/pem.ts',
    tests: ['test/operation/trust-anchors.test.ts'],
    mutants: [
      {
        noticed: 'a private key beside an anchor is passed over',
        original: "keys === 'refused' && blocks.find",
        replacement: "keys === 'ignored' && blocks.find",
      },
    ],
  },
  {
    file: 'libs/identity/src/issuer-directory.ts',
    tests: ['libs/identity/src/issuer-directory.spec.ts'],
    mutants: [
      {
        noticed: 'any issuer names the authorities that are said to have certified it',
        original: 'return isOwn && key.anchor === undefined ?',
        replacement: 'return key.anchor === undefined ?',
      },
      {
        noticed: 'our own credentials are of no authority',
        original: 'return isOwn && key.anchor === undefined ?',
        replacement: "return issuer === '' ?",
      },
    ],
  },
  {
    file: 'libs/verification/src/rendering/request-object.handlers.ts',
    tests: ['test/refusals/verification-encryption.test.ts'],
    mutants: [
      {
        noticed: 'a wallet that asks for an encrypted request object gets it in clear',
        original: '(encryption ? encrypted(signed, encryption) : signed)',
        replacement: '(encryption === null ? encrypted(signed, encryption) : signed)',
      },
    ],
  },
  {
    file: 'libs/openid4vc/src/request/request-object-encryption.ts',
    tests: ['libs/openid4vc/src/request/request-uri-post.spec.ts'],
    mutants: [
      {
        noticed: 'a wallet gives its private key away and is not told',
        original: 'if (keys.some(hasPrivateMembers)) {',
        replacement: 'if (keys.length < 0) {',
      },
      {
        noticed: 'a request object is encrypted to a key that verifies signatures',
        original: "return (use === undefined || use === 'enc') && mayDerive;",
        replacement: 'return mayDerive;',
      },
    ],
  },
  {
    file: 'libs/verification/src/page/request-page.ts',
    tests: ['test/browser/request-page.test.ts'],
    mutants: [
      {
        noticed: 'everyone who has seen the QR code sees the basket that redirectUri names',
        original: 'href="${back.origin}${back.pathname}"',
        replacement: 'href="${back.href}"',
      },
    ],
  },
  {
    file: 'libs/verification/src/question/transaction-data.ts',
    tests: ['test/refusals/transaction-data.test.ts'],
    mutants: [
      {
        noticed: 'a payment that nobody confirmed is verified',
        original: 'if (confirmedBy === undefined) return failed(',
        replacement: 'if (confirmedBy === undefined && ids.length === 0) return failed(',
      },
      {
        noticed: 'a credential confirms what was asked of another one',
        original: 'return ids.includes(queryId) ? [',
        replacement: 'return ids.length > 0 ? [',
      },
    ],
  },
  {
    file: 'libs/verification/src/management/request-erasure.handlers.ts',
    tests: ['test/flows/erased-data.test.ts'],
    mutants: [
      {
        noticed: 'the key of an erased request stays',
        original: 'await this.store.destroyDataKey(authorizationRequestAggregate.category, requestId);',
      },
    ],
  },
  {
    file: 'libs/verification/src/request/authorization-request.ts',
    tests: ['libs/verification/src/request/authorization-request.spec.ts'],
    mutants: [
      {
        noticed: 'a request is answered twice',
        original: 'return !isAnswered(request) && request.erasedAt === undefined',
        replacement: 'return request.erasedAt === undefined',
      },
      {
        noticed: 'a request is answered after its personal data was erased',
        original: 'return !isAnswered(request) && request.erasedAt === undefined',
        replacement: 'return !isAnswered(request)',
      },
      {
        noticed: 'a request is answered after it expired',
        original: " && requestStatus(request, now) !== 'expired';",
        replacement: ';',
      },
      {
        noticed: 'of two answers at the same time both are recorded',
        original: 'if (!openVariant(request, variant, now)) return notOpen;\n  const wait',
        replacement: 'const wait',
      },
      {
        noticed: 'a wallet fills the database by declining',
        original: 'request.declined.length >= mostDeclines ? [] :',
        replacement: 'request.declined.length < 0 ? [] :',
      },
      {
        noticed: 'an eavesdropper on the link of a request ends it by declining',
        original: 'return !isAnswered(request) && request.erasedAt === undefined',
        replacement: 'return request.declined.length === 0 && !isAnswered(request) && request.erasedAt === undefined',
      },
      {
        noticed: 'a wallet fills the database with bad answers',
        original: 'request.rejections >= mostRejections ? [] :',
        replacement: 'request.rejections < 0 ? [] :',
      },
      {
        noticed: 'a second request takes the place of one of the same state',
        original: 'if (present) {',
        replacement: "if (present?.status === 'verified') {",
      },
      {
        noticed: 'an answer for which nobody came back stays verified',
        original: "return isPast ? 'rejected' : 'verified';",
        replacement: "return 'verified';",
      },
    ],
  },
  {
    file: 'libs/verification/src/management/response-code.ts',
    tests: ['libs/verification/src/request/authorization-request.spec.ts'],
    mutants: [
      {
        noticed: 'any response code is right',
        original: ' && request.responseCodeHash === codeHash',
      },
      {
        noticed: 'a stolen link of a return releases the result in any browser',
        original: ' && request.session === session',
      },
      {
        noticed: 'a browser comes back after five minutes',
        original: 'return isAwaited(request, now) && ',
        replacement: 'return ',
      },
      {
        noticed: 'a response code works after five minutes',
        original: " || (request.status === 'withheld' && !isAwaited(request, now))",
      },
      {
        noticed: 'a person who forwards a request sees what another one presented',
        original: "return request.status === 'verified';",
        replacement: "return request.status === 'verified' || request.status === 'withheld';",
      },
    ],
  },
  {
    file: 'libs/verification/src/request/addressed-request.ts',
    tests: ['test/flows/same-device.test.ts'],
    mutants: [
      {
        noticed: 'a wallet answers for a browser that nobody began in',
        original: ' || (found.state.returnToPage ?? false) !== (session !== undefined)',
      },
    ],
  },
  {
    file: 'libs/verification/src/page/request-return.endpoint.ts',
    tests: ['test/flows/same-device.test.ts'],
    mutants: [
      {
        noticed: 'a page elsewhere returns its visitor',
        original: "return site === undefined || site === 'same-origin';",
        replacement: 'return site !== null;',
      },
      {
        noticed: 'a form elsewhere returns its visitor',
        original: " || mediaType !== 'application/json'",
      },
    ],
  },
  {
    file: 'libs/verification/src/page/browser-sessions.ts',
    tests: ['libs/verification/src/page/browser-sessions.spec.ts'],
    mutants: [
      {
        noticed: 'each visit of a page ends the sessions of the others',
        original: 'this.secretOf(incoming) ?? ',
      },
    ],
  },
  {
    file: 'libs/http/src/context/own-cookies.ts',
    tests: ['libs/verification/src/page/browser-sessions.spec.ts'],
    mutants: [
      {
        noticed: 'another host of the domain chooses the session',
        original: "'__Host-' : ''",
        replacement: "'' : ''",
      },
      {
        noticed: 'forms elsewhere are sent with the session',
        original: '`SameSite=${sameSite}`, ',
      },
    ],
  },
  {
    file: 'libs/verification/src/request/request-fold.ts',
    tests: ['libs/verification/src/request/authorization-request.spec.ts'],
    mutants: [
      {
        noticed: 'a response code works twice',
        original: 'return released(request);',
        replacement: 'return request;',
      },
    ],
  },
  {
    file: 'libs/verification/src/request/request-secrets.ts',
    tests: ['test/flows/same-device.test.ts'],
    mutants: [
      {
        noticed: 'a wallet that sees the link of a page knows the session of the browser',
        original:
          "this.authenticator.macOfSalt('presentation-session', handleSalt, browserSecret).toString('base64url')",
        replacement: 'browserSecret',
      },
    ],
  },
  {
    file: 'libs/verification/src/rendering/request-variants.ts',
    tests: ['test/flows/verification-certificates.test.ts'],
    mutants: [
      {
        noticed: 'a request is named by a host that is not in the certificate',
        original: '!certificate.dnsNames.includes(host.toLowerCase())',
        replacement: '!certificate.dnsNames.includes(certificate.dnsNames[0] ?? host)',
      },
      {
        noticed: 'a request needs a certificate that is not there',
        original: 'if (!certificate) {',
        replacement: 'if (!prefix) {',
      },
    ],
  },
  {
    file: 'libs/verification/src/rendering/request-clients.ts',
    tests: ['test/flows/verification-certificates.test.ts'],
    mutants: [
      {
        noticed: 'a request of HAIP is named as the one of 1.0 is',
        original: "return variant === 'haip' ? 'x509_hash' : request.clientIdPrefix;",
        replacement: "return variant === 'haip' && !request ? 'x509_hash' : request.clientIdPrefix;",
      },
    ],
  },
  {
    file: 'libs/verification/src/response/response-verifier.ts',
    tests: ['test/refusals/dcql.test.ts'],
    mutants: [
      {
        noticed: 'an answer that presents nothing is verified',
        original: 'if (request.query && credentials.length === 0) {',
        replacement: 'if (request.query && credentials.length < 0) {',
        tests: ['test/flows/verification.test.ts'],
      },
      {
        noticed: 'an answer without a credential that was required is verified',
        original: 'if (request.query && !satisfiesCredentialSets(request.query, answered)) {',
        replacement: 'if (request.query && !answered) {',
      },
    ],
  },
  {
    file: 'libs/credentials/src/issuers/trusted-types.ts',
    tests: ['libs/verification/src/response/trusted-issuers.spec.ts'],
    mutants: [
      {
        noticed: 'an issuer trusted for one type is trusted for any further type',
        original: 'stated.every(',
        replacement: 'stated.some(',
      },
    ],
  },
  {
    file: 'libs/verification/src/response/trusted-issuers.ts',
    tests: ['libs/verification/src/response/trusted-issuers.spec.ts'],
    mutants: [
      {
        noticed: 'in production every issuer is trusted',
        original: "return isDevelopment ? 'accepted-in-development' : 'untrusted';",
        replacement: "return 'accepted-in-development';",
      },
      {
        noticed: 'an issuer is trusted under the name of another',
        original: 'list.filter((entry) => entry.issuer === issuer)',
        replacement: 'list.filter((entry) => issuer.startsWith(entry.issuer))',
      },
    ],
  },
  {
    file: 'libs/verification/src/response/sealed-result.ts',
    tests: ['libs/verification/src/response/sealed-result.spec.ts'],
    mutants: [
      {
        noticed: 'what one person presented is shown as the answer of another',
        original: "return { streamId: streamOfRequest(requestId), event: 'PresentationVerified' };",
        replacement: "return { streamId: 'authorization_request', event: 'PresentationVerified' };",
      },
    ],
  },
  {
    file: 'libs/verification/src/response/presented-statuses.ts',
    tests: ['test/flows/presented-status.test.ts'],
    mutants: [
      {
        noticed: 'a credential of another issuer is valid by an entry in our lists',
        original: 'signer ? identity.isDocumentKey(signer) : identity.isOwn(issuer)',
        replacement: 'signer ? identity.isDocumentKey(signer) : true',
      },
    ],
  },
];

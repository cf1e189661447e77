/** Entries of the catalogue about certificates of this service. */
export const certificateProblems = {
  'registration-certificate-not-accepted': {
    title: 'Registration Certificate Not Accepted',
    status: 422,
    remedy: '`violations` has the fault and what to do about it. Nothing was stored.',
    example: 'POST /v0/registration_certificates {"certificate": "eyJ0eXAiOiJyYy13cnArand0In0.e30.c2lnbmF0dXJl"}',
  },
  'request-certificate-missing': {
    title: 'Certificate for Requests Missing',
    status: 409,
    remedy:
      'Ask the operator to install one (`sealwright certificates request --use requests`), or choose another `clientIdPrefix`.',
    example:
      'A request with `"clientIdPrefix": "x509_hash"` before the operator has installed a certificate for requests.',
  },
  'document-certificate-missing': {
    title: 'Certificate for Documents Missing',
    status: 503,
    remedy:
      'Ask the operator to install one: `sealwright certificates request --use documents`, then `sealwright certificates install`.',
    example: 'An ISO mdoc is to be issued before the operator has installed the certificate of a document signer.',
  },
} as const;

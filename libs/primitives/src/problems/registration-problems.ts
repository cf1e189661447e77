/** Entries of the catalogue about the registration of this service. */
export const registrationProblems = {
  'request-not-registered': {
    title: 'Request Not Registered',
    status: 422,
    remedy:
      'Ask for what `violations` do not name, or for what another registration certificate lists and name it in `intendedUseId`. The operator can have the use registered, or set `SERVICE__REGISTRATION__OVERASKING`.',
    example: 'A query for a claim that no registration certificate of this service lists.',
  },
  'registration-certificate-not-accepted': {
    title: 'Registration Certificate Not Accepted',
    status: 422,
    remedy: '`violations` has the fault and what to do about it. Nothing was stored.',
    example: 'POST /v0/registration_certificates {"certificate": "eyJ0eXAiOiJyYy13cnArand0In0.e30.c2lnbmF0dXJl"}',
  },
} as const;

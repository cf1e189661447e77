/** Of people who have signed in to the console. */
export const sessionProblems = {
  'insufficient-user-authentication': {
    title: 'Insufficient User Authentication',
    status: 401,
    remedy:
      'Sign in again as the same person, which counts for ten minutes, and repeat the request. API keys and access tokens need not.',
    example: 'A person who signed in an hour ago erases a credential in the console.',
  },
  'several-credentials': {
    title: 'Several Credentials',
    status: 400,
    remedy: 'Send an API key or an access token without the cookie of the console, or the cookie without them.',
    example: 'A script in the page of the console sends an API key as well.',
  },
} as const;

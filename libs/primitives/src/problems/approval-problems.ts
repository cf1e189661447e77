/** The part of the catalogue about what a second person has to approve. */
export const approvalProblems = {
  'approval-by-requester': {
    title: 'Approval By Requester',
    status: 403,
    remedy:
      'Have somebody else approve it, with a key of another client. To take it back: `POST /v0/approvals/{approvalId}/reject`.',
    example: 'An approval of what the same key has asked for.',
  },
  'approval-ended': {
    title: 'Approval Ended',
    status: 409,
    remedy: 'Ask for what it was about again; that makes a new approval.',
    example: 'An approval that somebody has rejected.',
  },
} as const;

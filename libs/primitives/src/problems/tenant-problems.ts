/** The part of the catalogue about issuers that share a deployment. */
export const tenantProblems = {
  'tenant-not-found': {
    title: 'Tenant Not Found',
    status: 404,
    remedy: 'List `GET /v0/tenants` and name one of them.',
    example: 'GET /v0/tenants/no-tenant',
  },
  'tenant-managed-by-file': {
    title: 'Tenant Managed By File',
    status: 409,
    remedy:
      'Change the file that `detail` names: every replica follows within seconds. Remove it to change or delete the tenant by the API.',
    example:
      'A `PATCH` of the tenant `musterstadt` while there is a `musterstadt.yaml` in `SERVICE__TENANTS__DIRECTORY`.',
  },
  'tenant-limit-reached': {
    title: 'Tenant Limit Reached',
    status: 429,
    remedy:
      'Wait for the seconds in `Retry-After`. For more ask the operator of the service, who raises `limits` with `PATCH /v0/tenants/{tenantId}`.',
    example: 'One more offer in a minute than `offersPerMinute` of the tenant.',
  },
  'tenant-suspended': {
    title: 'Tenant Suspended',
    status: 403,
    remedy:
      'Ask the operator of the service, who resumes it with `POST /v0/tenants/{tenantId}/resume`, or restores it with `…/restore`.',
    example: 'A new offer below `/t/musterstadt` while the tenant is suspended.',
  },
} as const;

/** What of a template, and of its credentials, a second person has to approve. */
export interface FourEyes {
  /** That a credential is revoked. */
  readonly revoke?: true;
  /** That the template is published, or changed while it is. */
  readonly publish?: true;
  /** That an import with more rows is started. */
  readonly bulkOver?: number;
}

export const mostRows = 1_000_000;

/** As it is stored; `undefined` where nothing has to be approved. */
export function fourEyesOf({ revoke, publish, bulkOver }: FourEyes): FourEyes | undefined {
  const given = {
    ...(revoke === true && { revoke }),
    ...(publish === true && { publish }),
    ...(typeof bulkOver === 'number' && { bulkOver }),
  };
  return Object.keys(given).length === 0 ? undefined : given;
}

/** Whether something would need no approval any more. */
export function isWeaker(after: FourEyes = {}, before: FourEyes = {}): boolean {
  const { bulkOver = Infinity } = after;
  return (
    (before.revoke === true && !after.revoke) ||
    (before.publish === true && !after.publish) ||
    (before.bulkOver !== undefined && bulkOver > before.bulkOver)
  );
}

import { timesInOrder, is, ListQuery } from '@app/http';
import { type CredentialStatus, credentialStatuses } from './credential';
import { validities, type Validity } from './validity';

/** The filters of `GET /v0/credentials`. */
@is.Holds(timesInOrder(['createdAfter', 'createdBefore'], ['issuedAfter', 'issuedBefore']))
export class CredentialQuery extends ListQuery {
  @is.Optional('Only those of this offer.', is.Text(0, 256))
  readonly offerId?: string;
  @is.Optional('Only those that a wallet has asked for by itself, by this authorization.', is.Text(0, 256))
  readonly authorizationId?: string;
  @is.Optional('Only those of this template.', is.Text(0, 256))
  readonly templateId?: string;
  @is.Optional('Only those in this state.', is.OneOf(credentialStatuses))
  readonly status?: CredentialStatus;
  @is.Optional('Only those created at or after this time.', is.Moment('2027-06-30T00:00:00Z'))
  readonly createdAfter?: string;
  @is.Optional('Only those created before this time.', is.Moment('2027-07-01T00:00:00Z'))
  readonly createdBefore?: string;
  @is.Optional('Only those issued at or after this time.', is.Moment('2027-06-30T00:00:00Z'))
  readonly issuedAfter?: string;
  @is.Optional('Only those issued before this time.', is.Moment('2027-07-01T00:00:00Z'))
  readonly issuedBefore?: string;
  @is.Optional('Only those that this key signed last.', is.Text(1, 256))
  readonly signingKeyId?: string;
  @is.Optional('Only issued revocable credentials with this status in their status list.', is.OneOf(validities))
  readonly validity?: Validity;
}

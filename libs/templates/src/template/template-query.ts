import { is, ListQuery } from '@app/http';
import { type TemplateStatus, templateStatuses } from './template';

/** The filters of `GET /v0/templates`. */
export class TemplateQuery extends ListQuery {
  @is.Optional('Only those in this state.', is.OneOf(templateStatuses))
  readonly status?: TemplateStatus;
}

import { Settings } from '@app/config';
import { concerning, Problem } from '@app/problem-details';
import {
  concernOf,
  constantClaims,
  GetConfigurationOfTemplate,
  isFormatKnown,
  type IssuableConfiguration,
  unsupportedFormat,
} from '@app/templates';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { askedAuthorization, type GivenAuthorization } from './asked-authorization';
import type { OfferKind } from './new-offer';
import type { AskedAuthorization } from './offer-grants';

/** What a new offer promises, and what follows from that. */
@Injectable()
export class OfferedTemplates {
  constructor(
    private readonly queries: QueryBus,
    private readonly settings: Settings,
  ) {}

  /** Throws the problem of a template that cannot be offered. */
  async configurationsOf(templateIds: readonly string[], isPublic: boolean): Promise<IssuableConfiguration[]> {
    const configurations: IssuableConfiguration[] = [];
    for (const templateId of new Set(templateIds)) {
      const configuration = await this.queries.execute(new GetConfigurationOfTemplate(templateId));
      await concerning(concernOf(configuration), async () => {
        if (!isFormatKnown(configuration)) throw unsupportedFormat(templateId, configuration);
        if (isPublic && !(await constantClaims(configuration))) {
          throw new Problem(
            'template-not-eligible-for-public-offer',
            `The template ${templateId} leaves claims open; a public offer cannot contain a person's data.`,
          );
        }
      });
      configurations.push(configuration);
    }
    return configurations;
  }

  /** As `askedAuthorization`. */
  authorization(
    given: GivenAuthorization,
    configurations: readonly IssuableConfiguration[],
    kind: OfferKind,
  ): AskedAuthorization {
    const { profile, identification } = this.settings;
    return askedAuthorization(given, { configurations, kind, profile, hasLogin: identification.openid.issuer !== '' });
  }
}

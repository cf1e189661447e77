import { IssuanceModule } from '@app/issuance/src/issuance.module';
import { OffersModule } from '@app/offers/src/offers.module';
import { TemplatesModule } from '@app/templates/src/templates.module';
import { VerificationModule } from '@app/verification/src/verification.module';

/** The business; the OpenAPI document is made from the same list. */
export const businessModules = [TemplatesModule, OffersModule, IssuanceModule, VerificationModule];

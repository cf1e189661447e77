import type { Texts } from '../texts';

export const fr: Texts = {
  page: {
    languages: 'Langues',
    scan: 'Scannez le code avec votre application de portefeuille.',
    codeImage: 'Code QR contenant le lien pour votre portefeuille',
    openWallet: 'Ouvrir le portefeuille sur cet appareil',
    otherWallets: 'Votre portefeuille ne s’ouvre pas ou ne lit pas le code ?',
    notOpening: 'Votre portefeuille ne s’ouvre pas ?',
    otherForms: 'Choisissez une autre forme du lien :',
    usualForm: 'Forme habituelle',
    copy: 'Ou copiez ce lien dans votre portefeuille :',
    tooLong: 'Le lien est trop long pour un code QR. Ouvrez cette page sur l’appareil où se trouve votre portefeuille.',
    sameDevice: 'Votre portefeuille doit se trouver sur cet appareil.',
    checkAgain: 'Vérifier à nouveau',
    noWallet: 'Vous n’avez pas encore d’application de portefeuille ?',
    noWalletHelp:
      'Un portefeuille est une application de votre téléphone qui conserve vos attestations numériques. Demandez à {issuer} laquelle vous pouvez utiliser.',
    findWallet: 'Comment obtenir un portefeuille',
    contact: 'Contacter {issuer}',
    forms: {
      haip: 'Pour les portefeuilles européens d’identité',
      final: 'Pour les portefeuilles actuels',
      'draft-20': 'Pour les portefeuilles plus anciens',
      'draft-20-redirect': 'Pour les portefeuilles plus anciens, seconde forme',
      siopv2: 'Pour les portefeuilles qui servent seulement à se connecter',
    },
  },
  notices: {
    invalid: {
      title: 'Ce lien n’est plus valable',
      advice:
        'Il a expiré, a déjà été utilisé ou a été remplacé par un autre. Demandez un nouveau lien à l’organisme qui vous l’a donné.',
    },
    tooMany: {
      title: 'Trop de tentatives',
      advice:
        'Plusieurs liens qui n’existent pas ont été ouverts depuis votre réseau. Veuillez attendre une minute, puis réessayer.',
    },
    unavailable: {
      title: 'Cette page n’est pas disponible pour le moment',
      advice: 'Veuillez réessayer dans quelques minutes. Votre lien reste valable.',
    },
  },
  request: {
    contents: 'Ce que l’on vous demande de présenter',
    confirmation: 'Ce que vous confirmez',
    reason: 'Pourquoi',
    identity: 'Un identifiant fourni par votre portefeuille',
    identityMeaning: 'Votre portefeuille le crée pour cette connexion. Il ne révèle rien sur vous.',
    anyCredential: 'Une attestation de votre choix',
    sentWhole: 'Votre portefeuille envoie toujours une attestation de ce type en entier.',
    noClaims: 'Seulement que vous la possédez',
    ageOver: 'Que vous avez au moins {age} ans',
    optional: 'Facultatif',
    oneOf: 'Un seul de ces éléments suffit :',
    askBrowser: 'Continuer avec un portefeuille',
    browserFailed: 'Cela n’a pas fonctionné. Réessayez, ou utilisez l’autre possibilité ci-dessous.',
    afterwards: 'Votre portefeuille vous ramènera ensuite à {host}.',
    afterwardsHere: 'Votre portefeuille vous ramènera ensuite dans ce navigateur.',
    needsScript: 'Cette étape nécessite JavaScript. Autorisez-le pour cette page, puis rechargez-la.',
    technicalName: 'Nom technique',
    goBack: 'Retour à {host}',
    states: {
      pending: {
        title: 'Veuillez présenter votre attestation',
        advice:
          'Lisez ci-dessous ce qui est demandé. C’est dans votre portefeuille que vous décidez de l’envoyer ou non.',
      },
      retrieved: {
        title: 'Continuez dans votre portefeuille',
        advice:
          'Votre portefeuille a ouvert la demande. Confirmez-la dans l’application. Si rien ne se passe, vous pouvez ouvrir la demande à nouveau.',
      },
      rejected: {
        title: 'La réponse n’a pas été acceptée',
        advice:
          'Votre portefeuille en indique peut-être la raison. Vous pouvez réessayer, également avec une autre attestation.',
      },
      declined: {
        title: 'Rien n’a été présenté',
        advice:
          'Vous avez refusé dans votre portefeuille, ou il ne contient rien qui convienne. Vous pouvez réessayer.',
      },
      withheld: {
        title: 'Encore une étape',
        advice:
          'Votre portefeuille a envoyé la réponse et vous ramène. La réponse n’est transmise que si vous revenez dans les cinq minutes, dans le navigateur où vous avez commencé.',
      },
      verified: {
        title: 'Merci, votre réponse a été acceptée',
        advice: 'Ce que vous avez envoyé a été vérifié. Vous pouvez fermer cette page.',
      },
      abandoned: {
        title: 'La réponse n’a pas été transmise',
        advice:
          'Personne n’est revenu à temps du portefeuille dans le navigateur où la demande a commencé. Retournez là d’où vous venez et recommencez.',
      },
      expired: {
        title: 'Cette demande a expiré',
        advice: 'Plus rien ne peut être envoyé. Retournez à l’endroit d’où vous venez et recommencez.',
      },
    },
    returns: {
      returning: {
        title: 'Un instant',
        advice: 'Nous vérifions que ce navigateur est bien celui où vous avez commencé.',
      },
      refused: {
        title: 'Le retour n’a pas abouti',
        advice:
          'Ce navigateur n’est pas celui où vous avez commencé, le lien a déjà été utilisé, ou plus de cinq minutes se sont écoulées. Ouvrez la page où vous avez commencé : elle indique où vous en êtes.',
      },
    },
    claims: {
      given_name: 'Prénom',
      family_name: 'Nom de famille',
      name: 'Nom complet',
      birthdate: 'Date de naissance',
      birthplace: 'Lieu de naissance',
      nationality: 'Nationalité',
      email: 'Adresse e-mail',
      phone: 'Numéro de téléphone',
      address: 'Adresse postale',
      street: 'Rue',
      postal_code: 'Code postal',
      locality: 'Ville',
      country: 'Pays',
      portrait: 'Votre photo',
      sex: 'Sexe',
      document_number: 'Numéro du document',
      expiry_date: 'Date d’expiration',
      issuing_authority: 'Autorité de délivrance',
      issuing_country: 'Pays de délivrance',
    },
  },
  authorize: {
    username: 'Nom d’utilisateur',
    password: 'Mot de passe',
    login: 'Se connecter',
    asker: 'Qui le demande',
    contents: 'Ce que vous recevez',
    data: 'Ce qui y figurera',
    dataLater: 'L’émetteur ajoute les données.',
    approve: 'Accepter',
    reject: 'Ne pas accepter',
    goBack: 'Retour au portefeuille',
    transactionCode: 'Code de transaction',
    transactionCodeHint: 'L’émetteur vous l’a transmis séparément : {length} caractères.',
    transactionCodeMissing: 'Saisissez le code que vous avez reçu.',
    transactionCodeWrong: 'Le code est incorrect. Essais restants : {tries}. Après le dernier, l’offre est bloquée.',
    notYou: 'Ce n’est pas vous ?',
    otherLogin: 'Se connecter sous une autre identité',
    otherCredential: 'Présenter une autre attestation',
    states: {
      login: {
        title: 'Se connecter',
        advice:
          'Ceci est une connexion de développement : elle accepte n’importe quel nom et n’importe quel mot de passe.',
      },
      presentation: {
        title: 'Montrez qui vous êtes',
        advice:
          'Avant de recevoir l’attestation, présentez ce qui suit depuis votre portefeuille. Ne le faites que si vous avez commencé dans votre propre portefeuille.',
      },
      consent: {
        title: 'Voulez-vous l’avoir dans votre portefeuille ?',
        advice:
          'Vérifiez qui le demande et ce qui y figure. N’acceptez que si vous avez commencé dans votre propre portefeuille.',
      },
      'offer-needed': {
        title: 'Demandez une offre à l’émetteur',
        advice:
          'Un portefeuille ne peut pas le demander de lui-même. L’émetteur vous donne un lien ou un code QR pour commencer.',
      },
      apart: {
        title: 'Une attestation après l’autre',
        advice:
          'Pour ces attestations, votre identité est vérifiée de différentes manières. Demandez-les une par une dans votre portefeuille.',
      },
      'not-issued': {
        title: 'Indisponible pour le moment',
        advice: 'L’émetteur ne délivre pas cette attestation pour le moment. Veuillez réessayer plus tard.',
      },
      ended: {
        title: 'Cette page n’est plus valable',
        advice: 'Elle a expiré, ou la demande a déjà reçu une réponse. Retournez à votre portefeuille et recommencez.',
      },
      unpushed: {
        title: 'Votre portefeuille a fait sa demande d’une façon qui n’est pas possible ici',
        advice:
          'Il a ouvert cette page sans avoir d’abord envoyé sa demande à ce service. Retournez à votre portefeuille et recommencez ; si cela se reproduit, adressez-vous au fournisseur du portefeuille.',
      },
      unexpected: {
        title: 'Ceci est destiné à quelqu’un d’autre',
        advice:
          'Ce que vous alliez recevoir est destiné à une autre personne que celle qui vient d’être identifiée ; cela reste disponible pour elle. Si c’était la connexion de quelqu’un d’autre sur cet appareil, utilisez la vôtre.',
      },
      unproven: {
        title: 'Nous ne pouvons pas savoir si ceci vous est destiné',
        advice:
          'Les informations reçues à votre sujet ne contiennent pas ce dont l’émetteur a besoin pour vous reconnaître. Essayez d’une autre manière ou demandez à l’émetteur.',
      },
      'other-browser': {
        title: 'Cela n’appartient pas à votre page',
        advice:
          'La page a été ouverte dans un autre navigateur, ou votre navigateur ne conserve pas les cookies. Retournez à votre portefeuille et recommencez.',
      },
    },
  },
  offer: {
    contents: 'Ce que vous recevez',
    digits:
      'Votre portefeuille demandera un code de transaction à {length} chiffres. Vous le recevez séparément, pas sur cette page. Saisissez-le uniquement dans votre portefeuille.',
    characters:
      'Votre portefeuille demandera un code de transaction à {length} caractères. Vous le recevez séparément, pas sur cette page. Saisissez-le uniquement dans votre portefeuille.',
    onOpenedPage:
      'Un code de transaction à {length} caractères vous sera demandé, dans votre portefeuille ou sur la page qu’il ouvre. Vous le recevez séparément, pas sur cette page. Ne le saisissez nulle part ailleurs.',
    wrongCode:
      'Un code de transaction incorrect a été saisi. Essais restants : {tries}. Après le dernier, l’offre est bloquée.',
    states: {
      waiting: {
        title: 'Votre attestation est en préparation',
        advice:
          'Les données ne sont pas encore complètes. Vous pouvez laisser cette page ouverte : elle indiquera quand votre attestation sera prête.',
      },
      ready: {
        title: 'Votre attestation est prête',
        advice: 'Récupérez-la avec votre application de portefeuille.',
      },
      fetched: {
        title: 'Continuez dans votre portefeuille',
        advice:
          'Votre portefeuille a ouvert l’offre. Acceptez-la dans l’application. Si rien ne se passe, vous pouvez scanner le code à nouveau.',
      },
      redeemed: {
        title: 'Votre portefeuille récupère l’attestation',
        advice:
          'Suivez les étapes dans votre portefeuille. S’il s’arrête sur une erreur, demandez un nouveau lien à l’émetteur.',
      },
      deferred: {
        title: 'Votre attestation suivra',
        advice:
          'Vous l’avez acceptée. Votre portefeuille la récupérera dès que l’émetteur disposera de vos données ; vous pouvez fermer cette page.',
      },
      issued: {
        title: 'Votre portefeuille a reçu l’attestation',
        advice: 'Vérifiez qu’elle se trouve dans votre portefeuille. Vous pourrez ensuite fermer cette page.',
      },
      accepted: {
        title: 'L’attestation est dans votre portefeuille',
        advice: 'Elle a été enregistrée. Vous pouvez fermer cette page.',
      },
      refused: {
        title: 'Votre portefeuille n’a pas conservé l’attestation',
        advice:
          'Elle a été refusée ou n’a pas pu être enregistrée. Si vous souhaitez tout de même l’obtenir, demandez un nouveau lien à l’émetteur.',
      },
      denied: {
        title: 'L’attestation ne peut pas être délivrée',
        advice: 'Demandez à l’émetteur la raison et ce que vous pouvez faire.',
      },
      withdrawn: {
        title: 'L’offre a été retirée',
        advice: 'L’émetteur l’a annulée. Contactez-le si vous ne vous y attendiez pas.',
      },
      locked: {
        title: 'L’offre est bloquée',
        advice: 'Un code de transaction erroné a été saisi trop de fois. Demandez un nouveau lien à l’émetteur.',
      },
      expired: {
        title: 'Cette offre a expiré',
        advice: 'Elle ne peut plus être acceptée. Demandez-en une nouvelle à l’émetteur.',
      },
      revoked: {
        title: 'L’attestation a été révoquée',
        advice:
          'L’émetteur l’a déclarée définitivement non valable. Renseignez-vous auprès de lui si vous ne vous y attendiez pas.',
      },
      suspended: {
        title: 'L’attestation est suspendue',
        advice: 'Elle n’est pas valable pour le moment. L’émetteur peut la rétablir ; demandez-lui la raison.',
      },
      offline: {
        title: 'L’offre est suspendue',
        advice: 'L’émetteur ne délivre pas cette attestation pour le moment. Veuillez réessayer plus tard.',
      },
    },
  },
};

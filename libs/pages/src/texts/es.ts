import type { Texts } from '../texts';

export const es: Texts = {
  page: {
    languages: 'Idiomas',
    scan: 'Escanee el código con su aplicación de cartera digital.',
    codeImage: 'Código QR con el enlace para su cartera digital',
    openWallet: 'Abrir la cartera digital en este dispositivo',
    otherWallets: '¿Su cartera digital no se abre o no lee el código?',
    notOpening: '¿Su cartera digital no se abre?',
    otherForms: 'Elija otra forma del enlace:',
    usualForm: 'Forma habitual',
    copy: 'O copie este enlace en su cartera digital:',
    tooLong:
      'El enlace es demasiado largo para un código QR. Abra esta página en el dispositivo donde tiene su cartera digital.',
    sameDevice: 'Su cartera digital tiene que estar en este dispositivo.',
    checkAgain: 'Comprobar de nuevo',
    noWallet: '¿Todavía no tiene una aplicación de cartera digital?',
    noWalletHelp:
      'Una cartera digital es una aplicación de su teléfono que guarda sus credenciales digitales. Pregunte a {issuer} cuál puede usar.',
    findWallet: 'Cómo obtener una cartera digital',
    contact: 'Contactar con {issuer}',
    forms: {
      haip: 'Para carteras europeas de identidad',
      final: 'Para carteras actuales',
      'draft-20': 'Para carteras más antiguas',
      'draft-20-redirect': 'Para carteras más antiguas, segunda forma',
      siopv2: 'Para carteras que solo sirven para iniciar sesión',
    },
  },
  notices: {
    invalid: {
      title: 'Este enlace ya no es válido',
      advice:
        'Ha caducado, ya se ha utilizado o se ha sustituido por otro. Solicite un enlace nuevo a la organización que se lo facilitó.',
    },
    tooMany: {
      title: 'Demasiados intentos',
      advice: 'Desde su red se han abierto varios enlaces que no existen. Espere un minuto e inténtelo de nuevo.',
    },
    unavailable: {
      title: 'Esta página no está disponible en este momento',
      advice: 'Inténtelo de nuevo dentro de unos minutos. Su enlace sigue siendo válido.',
    },
  },
  request: {
    contents: 'Lo que se le pide que muestre',
    confirmation: 'Lo que confirma',
    reason: 'Para qué',
    identity: 'Un identificador de su cartera digital',
    identityMeaning: 'Su cartera digital lo crea para este inicio de sesión. No dice nada sobre usted.',
    anyCredential: 'Una credencial de su elección',
    sentWhole: 'Su cartera digital siempre envía completa una credencial de este tipo.',
    noClaims: 'Solo que la tiene',
    ageOver: 'Que tiene {age} años o más',
    optional: 'Opcional',
    oneOf: 'Basta con una de estas opciones:',
    askBrowser: 'Continuar con una cartera digital',
    browserFailed: 'No ha funcionado. Inténtelo de nuevo o use la otra opción de abajo.',
    afterwards: 'Después, su cartera digital le llevará de vuelta a {host}.',
    afterwardsHere: 'Después, su cartera digital le llevará de vuelta a este navegador.',
    needsScript: 'Este paso necesita JavaScript. Permítalo para esta página y vuelva a cargarla.',
    technicalName: 'Nombre técnico',
    goBack: 'Volver a {host}',
    states: {
      pending: {
        title: 'Muestre su credencial',
        advice: 'Lea a continuación lo que se le pide. En su cartera digital usted decide si lo envía.',
      },
      retrieved: {
        title: 'Continúe en su cartera digital',
        advice:
          'Su cartera digital ha abierto la solicitud. Confírmela allí. Si no ocurre nada, puede volver a abrir la solicitud.',
      },
      rejected: {
        title: 'La respuesta no se ha aceptado',
        advice:
          'Es posible que su cartera digital muestre el motivo. Puede intentarlo de nuevo, también con otra credencial.',
      },
      declined: {
        title: 'No se ha mostrado nada',
        advice:
          'Usted lo ha rechazado en su cartera digital, o esta no contiene nada adecuado. Puede intentarlo de nuevo.',
      },
      withheld: {
        title: 'Un paso más',
        advice:
          'Su cartera digital ha enviado la respuesta y le lleva de vuelta. La respuesta solo se transmite si vuelve en cinco minutos al navegador en el que empezó.',
      },
      verified: {
        title: 'Gracias, su respuesta se ha aceptado',
        advice: 'Lo que ha enviado se ha comprobado. Puede cerrar esta página.',
      },
      abandoned: {
        title: 'La respuesta no se ha transmitido',
        advice:
          'Nadie ha vuelto a tiempo de la cartera digital al navegador en el que empezó la solicitud. Vuelva al lugar de donde vino y empiece de nuevo.',
      },
      expired: {
        title: 'Esta solicitud ha caducado',
        advice: 'Ya no se puede enviar nada. Vuelva al lugar de donde venía y empiece de nuevo.',
      },
    },
    returns: {
      returning: {
        title: 'Un momento',
        advice: 'Comprobamos que este es el navegador en el que empezó.',
      },
      refused: {
        title: 'No se ha podido completar la vuelta',
        advice:
          'Este no es el navegador en el que empezó, el enlace ya se ha utilizado o han pasado más de cinco minutos. Abra la página en la que empezó: muestra cómo está todo.',
      },
    },
    claims: {
      given_name: 'Nombre',
      family_name: 'Apellidos',
      name: 'Nombre completo',
      birthdate: 'Fecha de nacimiento',
      birthplace: 'Lugar de nacimiento',
      nationality: 'Nacionalidad',
      email: 'Correo electrónico',
      phone: 'Número de teléfono',
      address: 'Dirección',
      street: 'Calle',
      postal_code: 'Código postal',
      locality: 'Localidad',
      country: 'País',
      portrait: 'Su fotografía',
      sex: 'Sexo',
      document_number: 'Número del documento',
      expiry_date: 'Fecha de caducidad',
      issuing_authority: 'Autoridad expedidora',
      issuing_country: 'País de expedición',
    },
  },
  authorize: {
    username: 'Nombre de usuario',
    password: 'Contraseña',
    login: 'Iniciar sesión',
    asker: 'Quién lo pide',
    contents: 'Lo que recibe',
    data: 'Lo que contendrá',
    dataLater: 'El emisor añade los datos.',
    approve: 'Aceptar',
    reject: 'No aceptar',
    goBack: 'Volver a la cartera digital',
    transactionCode: 'Código de transacción',
    transactionCodeHint: 'Lo ha recibido del emisor por separado: {length} caracteres.',
    transactionCodeMissing: 'Introduzca el código que ha recibido.',
    transactionCodeWrong:
      'El código es incorrecto. Intentos restantes: {tries}. Tras el último, la oferta queda bloqueada.',
    notYou: '¿No es usted?',
    otherLogin: 'Iniciar sesión como otra persona',
    otherCredential: 'Mostrar otra credencial',
    states: {
      login: {
        title: 'Iniciar sesión',
        advice: 'Este inicio de sesión es para desarrollo: acepta cualquier nombre y cualquier contraseña.',
      },
      presentation: {
        title: 'Muestre quién es',
        advice:
          'Antes de recibir la credencial, muestre lo siguiente desde su cartera digital. Hágalo solo si ha empezado en su propia cartera digital.',
      },
      consent: {
        title: '¿Quiere tenerlo en su cartera digital?',
        advice: 'Compruebe quién lo pide y qué contiene. Acepte solo si ha empezado en su propia cartera digital.',
      },
      'offer-needed': {
        title: 'Pida una oferta al emisor',
        advice:
          'Una cartera digital no puede pedirlo por sí misma. El emisor le da un enlace o un código QR para empezar.',
      },
      apart: {
        title: 'Una después de otra, por favor',
        advice:
          'Para estas credenciales, su identidad se comprueba de distintas maneras. Pídalas una a una en su cartera digital.',
      },
      'not-issued': {
        title: 'No disponible en este momento',
        advice: 'El emisor no entrega esta credencial en este momento. Inténtelo de nuevo más tarde.',
      },
      ended: {
        title: 'Esta página ya no es válida',
        advice: 'Ha caducado, o la solicitud ya se ha respondido. Vuelva a su cartera digital y empiece de nuevo.',
      },
      unpushed: {
        title: 'Su cartera digital ha hecho la solicitud de una forma que aquí no es posible',
        advice:
          'Ha abierto esta página sin enviar antes su solicitud a este servicio. Vuelva a su cartera digital y empiece de nuevo; si vuelve a ocurrir, pregunte al proveedor de la cartera.',
      },
      unexpected: {
        title: 'Esto es para otra persona',
        advice:
          'Lo que iba a recibir es para una persona distinta de la que se acaba de identificar; sigue disponible para ella. Si era la sesión de otra persona en este dispositivo, use la suya.',
      },
      unproven: {
        title: 'No podemos saber si esto es para usted',
        advice:
          'En los datos sobre usted falta lo que el emisor necesita para reconocerle. Inténtelo de otra manera o pregunte al emisor.',
      },
      'other-browser': {
        title: 'Esto no pertenece a su página',
        advice:
          'La página se abrió en otro navegador, o su navegador no guarda cookies. Vuelva a su cartera digital y empiece de nuevo.',
      },
    },
  },
  offer: {
    contents: 'Lo que recibe',
    digits:
      'Su cartera digital le pedirá un código de transacción de {length} dígitos. Lo recibirá por separado, no en esta página. Introdúzcalo únicamente en su cartera digital.',
    characters:
      'Su cartera digital le pedirá un código de transacción de {length} caracteres. Lo recibirá por separado, no en esta página. Introdúzcalo únicamente en su cartera digital.',
    onOpenedPage:
      'Se le pedirá un código de transacción de {length} caracteres, en su cartera digital o en la página que esta abre. Lo recibirá por separado, no en esta página. No lo introduzca en ningún otro lugar.',
    wrongCode:
      'Se introdujo un código de transacción incorrecto. Intentos restantes: {tries}. Tras el último, la oferta queda bloqueada.',
    states: {
      waiting: {
        title: 'Su credencial se está preparando',
        advice:
          'Los datos aún no están completos. Puede dejar esta página abierta: le indicará cuándo está lista su credencial.',
      },
      ready: {
        title: 'Su credencial está lista',
        advice: 'Obténgala con su aplicación de cartera digital.',
      },
      fetched: {
        title: 'Continúe en su cartera digital',
        advice:
          'Su cartera digital ha abierto la oferta. Acéptela allí. Si no ocurre nada, puede volver a escanear el código.',
      },
      redeemed: {
        title: 'Su cartera digital está obteniendo la credencial',
        advice: 'Siga los pasos en su cartera digital. Si se detiene con un error, solicite un enlace nuevo al emisor.',
      },
      deferred: {
        title: 'Su credencial llegará más tarde',
        advice:
          'Usted la ha aceptado. Su cartera digital la obtendrá en cuanto el emisor disponga de sus datos; puede cerrar esta página.',
      },
      issued: {
        title: 'Su cartera digital ha recibido la credencial',
        advice: 'Compruebe que está en su cartera digital. Después puede cerrar esta página.',
      },
      accepted: {
        title: 'La credencial está en su cartera digital',
        advice: 'Se ha guardado. Puede cerrar esta página.',
      },
      refused: {
        title: 'Su cartera digital no ha conservado la credencial',
        advice:
          'Se ha rechazado o no se ha podido guardar. Si aun así desea la credencial, solicite un enlace nuevo al emisor.',
      },
      denied: {
        title: 'La credencial no se puede emitir',
        advice: 'Pregunte al emisor el motivo y qué puede hacer.',
      },
      withdrawn: {
        title: 'La oferta se ha retirado',
        advice: 'El emisor la ha cancelado. Consúltele si no lo esperaba.',
      },
      locked: {
        title: 'La oferta está bloqueada',
        advice:
          'Se ha introducido demasiadas veces un código de transacción incorrecto. Solicite un enlace nuevo al emisor.',
      },
      expired: {
        title: 'Esta oferta ha caducado',
        advice: 'Ya no se puede aceptar. Pida una nueva al emisor.',
      },
      revoked: {
        title: 'La credencial fue revocada',
        advice: 'El emisor la ha declarado definitivamente no válida. Pregunte al emisor si no lo esperaba.',
      },
      suspended: {
        title: 'La credencial está suspendida',
        advice: 'No es válida en este momento. El emisor puede volver a hacerla válida; pregúntele el motivo.',
      },
      offline: {
        title: 'La oferta está en pausa',
        advice: 'El emisor no entrega esta credencial en este momento. Inténtelo de nuevo más tarde.',
      },
    },
  },
};

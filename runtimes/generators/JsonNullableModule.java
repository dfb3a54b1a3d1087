package org.openapitools.jackson.nullable;

import com.fasterxml.jackson.databind.module.SimpleModule;

/** Stands for the module of the package `jackson-databind-nullable`, which the client registers and does not use. */
public class JsonNullableModule extends SimpleModule {}

terraform {
  required_version = ">= 1.7"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
  }
}

provider "aws" {
  alias  = "a"
  region = var.regions[0].cloud_region
  default_tags { tags = local.tags }
}

provider "aws" {
  alias  = "b"
  region = var.regions[1].cloud_region
  default_tags { tags = local.tags }
}

provider "aws" {
  alias  = "c"
  region = var.regions[2].cloud_region
  default_tags { tags = local.tags }
}

terraform {
  required_version = ">= 1.7"
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 6.50, < 8.0"
    }
  }
}

provider "google" {
  project        = var.project
  default_labels = { morty-cluster = var.cluster }
}
